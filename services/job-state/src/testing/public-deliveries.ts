import {
  bulkReplay,
  type bulkReplayIn,
  bulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import * as replays from '@partner/proto-contracts/resources/bulk-replay/operations';
import * as deliveries from '@partner/proto-contracts/resources/delivery/operations';
import * as events from '@partner/proto-contracts/resources/event/operations';
import * as statistics from '@partner/proto-contracts/resources/statistics/operations';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import type { z } from 'zod';
import { deliveryOperations } from '../webhooks/attempts/delivery-operations.js';
import { eventOperations } from '../webhooks/events/event-operations.js';
import { replayOperations } from '../webhooks/replay/replay-operations.js';
import { statisticsOperations } from '../webhooks/statistics/statistics-operations.js';
import { installerOwner } from './callers.js';
import { type OneResponse, parsed, parsedResponse } from './parsed-response.js';

/** The company of a call, and its owner unless it is any. */
interface Of {
  readonly companyId: string;
  readonly membershipId?: string;
  readonly after?: string;
}

type Query = Readonly<Record<string, string | number | Date | undefined>>;
type Selection = Omit<z.input<typeof bulkReplayIn>, 'preview'>;

const textOf = (value: string | number | Date) => (value instanceof Date ? value.toISOString() : `${value}`);

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

  /** A call with a query, and the field of its first argument that is the id in its path. */
  const calling =
    <Output, Param extends string = never>(operation: OneResponse<Output>, param?: Param) =>
    async (of: Of & Readonly<Record<Param, string>>, query: Query = {}, options?: CallOptions) => {
      const texts = Object.entries(query).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, textOf(value)]],
      );
      const sent = {
        caller: installerOwner(of.companyId, of.membershipId),
        query: Object.fromEntries(texts),
        ...(param !== undefined && { params: { id: of[param] } }),
        ...(of.after !== undefined && { after: of.after }),
      };
      return parsedResponse(operation, await operations.call(operation, sent, options));
    };

  const replaying =
    <Output>(schema: z.ZodType<Output>, request: { readonly preview?: true }) =>
    async (of: Of & { readonly subscriptionId: string }, selection: Selection, options?: CallOptions) => {
      const [caller, params] = [installerOwner(of.companyId), { id: of.subscriptionId }];
      const sent = { caller, params, body: { ...selection, ...request } };
      return parsed(schema, await operations.call(replays.replayDeliveriesOperation, sent, options));
    };

  const listOfCompany = calling(deliveries.listCompanyDeliveriesOperation);
  const listOfSubscription = calling(deliveries.listDeliveriesOperation, 'subscriptionId');
  return {
    listDeliveries: (
      { subscriptionId, ...of }: Of & { readonly subscriptionId?: string },
      query?: Query,
      options?: CallOptions,
    ) =>
      subscriptionId === undefined
        ? listOfCompany(of, query, options)
        : listOfSubscription({ ...of, subscriptionId }, query, options),
    getDelivery: calling(deliveries.getDeliveryOperation, 'deliveryId'),
    replayDelivery: calling(deliveries.replayDeliveryOperation, 'deliveryId'),
    retryDelivery: calling(deliveries.retryDeliveryOperation, 'deliveryId'),
    previewBulkReplay: replaying(bulkReplayPreview, { preview: true }),
    createBulkReplay: replaying(bulkReplay, {}),
    listBulkReplays: calling(replays.listReplaysOperation, 'subscriptionId'),
    getBulkReplay: calling(replays.getReplayOperation, 'replayId'),
    cancelBulkReplay: calling(replays.cancelReplayOperation, 'replayId'),
    listEvents: calling(events.listEventsOperation),
    getEvent: calling(events.getEventOperation, 'eventId'),
    getSubscriptionStatistics: calling(statistics.getWebhookStatisticsOperation, 'subscriptionId'),
    getCompanyStatistics: calling(statistics.getStatisticsOperation),
  };
}
