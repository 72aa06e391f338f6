import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import {
  bulkReplay,
  type bulkReplayIn,
  bulkReplayPage,
  bulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import {
  cancelReplayOperation,
  getReplayOperation,
  listReplaysOperation,
  replayDeliveriesOperation,
} from '@partner/proto-contracts/resources/bulk-replay/operations';
import {
  delivery,
  deliveryPage,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import {
  getDeliveryOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
  replayDeliveryOperation,
  retryDeliveryOperation,
} from '@partner/proto-contracts/resources/delivery/operations';
import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { getEventOperation, listEventsOperation } from '@partner/proto-contracts/resources/event/operations';
import {
  getStatisticsOperation,
  getWebhookStatisticsOperation,
} from '@partner/proto-contracts/resources/statistics/operations';
import {
  companyStatistics,
  webhookStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { expect } from '@jest/globals';
import type { z } from 'zod';
import { deliveryOperations } from '../webhooks/attempts/delivery-operations.js';
import { eventOperations } from '../webhooks/events/event-operations.js';
import { replayOperations } from '../webhooks/replay/replay-operations.js';
import { statisticsOperations } from '../webhooks/statistics/statistics-operations.js';
import { installerOwner } from './callers.js';

/** The company of a call, and its owner unless it is any. */
interface Of {
  readonly companyId: string;
  readonly membershipId?: string;
  /** Where a page of a list starts. */
  readonly after?: string;
}

interface OfSubscription extends Of {
  readonly subscriptionId: string;
}

interface OfDelivery extends Of {
  readonly deliveryId: string;
}

interface OfReplay extends Of {
  readonly replayId: string;
}

type Query = Readonly<Record<string, string | number | Date | undefined>>;
type Selection = Omit<z.input<typeof bulkReplayIn>, 'preview'>;

/** Connects to the operations with which owners read and replay deliveries. Responses are parsed as public resources. */
export function connectDeliveries(
  deps: Parameters<typeof replayOperations>[0] & { readonly clock?: () => Date },
) {
  const { clock = () => new Date() } = deps;
  const operations = inProcessOperations({
    implementations: [
      ...deliveryOperations(deps),
      ...eventOperations(deps),
      ...replayOperations(deps),
      ...statisticsOperations({ ...deps, clock }),
    ],
    callers: ['owner'],
  });

  /** Parses the response with its public schema. Fails for a field that the schema does not have. */
  async function call<Schema extends z.ZodType>(
    operation: AnyOperation,
    schema: Schema,
    of: Of,
    input: { readonly id?: string; readonly query?: Query | undefined; readonly body?: object },
    options?: CallOptions,
  ): Promise<z.output<Schema>> {
    const { id, query = {}, body } = input;
    const sent = {
      caller: installerOwner(of.companyId, of.membershipId),
      query: Object.fromEntries(
        Object.entries(query).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
        ),
      ),
      ...(id !== undefined && { params: { id } }),
      ...(body !== undefined && { body }),
      ...(of.after !== undefined && { after: of.after }),
    };
    const { json } = await operations.call(operation, sent, options);
    const resource = schema.parse(JSON.parse(json));
    expect(resource).toEqual(JSON.parse(json));
    return resource;
  }

  return {
    listDeliveries: (of: Of & { readonly subscriptionId?: string }, query?: Query, options?: CallOptions) =>
      of.subscriptionId === undefined
        ? call(listCompanyDeliveriesOperation, deliveryPage, of, { query }, options)
        : call(listDeliveriesOperation, deliveryPage, of, { id: of.subscriptionId, query }, options),
    getDelivery: (of: OfDelivery, options?: CallOptions) =>
      call(getDeliveryOperation, deliveryWithAttempts, of, { id: of.deliveryId }, options),
    replayDelivery: (of: OfDelivery, options?: CallOptions) =>
      call(replayDeliveryOperation, delivery, of, { id: of.deliveryId }, options),
    retryDelivery: (of: OfDelivery, options?: CallOptions) =>
      call(retryDeliveryOperation, delivery, of, { id: of.deliveryId }, options),
    previewBulkReplay: (of: OfSubscription, selection: Selection, options?: CallOptions) => {
      const input = { id: of.subscriptionId, body: { ...selection, preview: true } };
      return call(replayDeliveriesOperation, bulkReplayPreview, of, input, options);
    },
    createBulkReplay: (of: OfSubscription, selection: Selection, options?: CallOptions) => {
      const input = { id: of.subscriptionId, body: selection };
      return call(replayDeliveriesOperation, bulkReplay, of, input, options);
    },
    listBulkReplays: (of: OfSubscription, query?: Query, options?: CallOptions) =>
      call(listReplaysOperation, bulkReplayPage, of, { id: of.subscriptionId, query }, options),
    getBulkReplay: (of: OfReplay, options?: CallOptions) =>
      call(getReplayOperation, bulkReplay, of, { id: of.replayId }, options),
    cancelBulkReplay: (of: OfReplay, options?: CallOptions) =>
      call(cancelReplayOperation, bulkReplay, of, { id: of.replayId }, options),
    listEvents: (of: Of, query?: Query, options?: CallOptions) =>
      call(listEventsOperation, eventPage, of, { query }, options),
    getEvent: (of: Of & { readonly eventId: string }, options?: CallOptions) =>
      call(getEventOperation, eventWithTrail, of, { id: of.eventId }, options),
    getSubscriptionStatistics: (of: OfSubscription, query?: Query, options?: CallOptions) =>
      call(getWebhookStatisticsOperation, webhookStatistics, of, { id: of.subscriptionId, query }, options),
    getCompanyStatistics: (of: Of, query?: Query, options?: CallOptions) =>
      call(getStatisticsOperation, companyStatistics, of, { query }, options),
  };
}
