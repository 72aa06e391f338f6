import { type Timestamp, timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type {
  BulkReplaySelection as SelectionMessage,
  DeliveryService,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { eventsNamedBy } from '@partner/proto-contracts/public-api/webhook-events';
import { invalidArgument } from '@partner/kernel/validation';
import type { Logger } from '@partner/kernel/logger';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { eventMessage, eventTrailMessage } from './events/event-message.js';
import { getEvent } from './events/get-event.js';
import { listEvents } from './events/list-events.js';
import { pageSize } from '../rpc/page-size.js';
import { required } from '../rpc/required.js';
import {
  getCompanyStatistics,
  getSubscriptionStatistics,
  type Statistics,
} from './statistics/read-statistics.js';
import { attemptCountsMessage, statisticsBucketMessage } from './statistics/statistics-message.js';
import { subscriptionOf } from './subscriptions/get-subscription.js';
import {
  type BulkReplaySelection,
  cancelBulkReplay,
  createBulkReplay,
  getBulkReplay,
  listBulkReplays,
  previewBulkReplay,
} from './replay/bulk-replay.js';
import { bulkReplayMessage } from './replay/bulk-replay-message.js';
import { attemptMessage, deliveryMessage, deliveryStateName } from './schedule/delivery-message.js';
import { getDelivery } from './attempts/get-delivery.js';
import { listDeliveries } from './attempts/list-deliveries.js';
import { replayDelivery } from './replay/replay-delivery.js';

/** What the service of deliveries works with. */
export interface DeliveryServiceDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** Serves the RPCs with which a company's owner looks at events and webhook deliveries, and repeats deliveries. */
export function createDeliveryService(deps: DeliveryServiceDeps): ServiceImpl<typeof DeliveryService> {
  return {
    async listDeliveries(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const { state } = request;
      const { deliveries, nextBeforeId } = await listDeliveries(database, {
        ...subscriptionOf(request),
        beforeDeliveryId: request.beforeDeliveryId,
        limit: pageSize(request.limit),
        state: state === undefined ? undefined : required(deliveryStateName(state), 'known state'),
        events: eventsOf(request.event),
        created: { from: optionalDate(request.from), to: optionalDate(request.to) },
        resourceId: request.resourceId,
      });
      return {
        deliveries: deliveries.map(deliveryMessage),
        ...(nextBeforeId !== undefined && { nextBeforeDeliveryId: nextBeforeId }),
      };
    },

    async getDelivery(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const { delivery, attempts, body } = await getDelivery(database, {
        companyId: required(request.companyId, 'company_id'),
        deliveryId: required(request.deliveryId, 'delivery_id'),
      });
      return {
        delivery: deliveryMessage(delivery),
        attempts: attempts.map(attemptMessage),
        ...(body !== null && { body }),
      };
    },

    async replayDelivery(request, context) {
      const delivery = await replayDelivery(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          deliveryId: required(request.deliveryId, 'delivery_id'),
          membershipId: request.actingMembershipId,
          actor: actorOf(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { delivery: deliveryMessage(delivery) };
    },

    async previewBulkReplay(request, context) {
      const { oldest, newest, resources, ...counts } = await previewBulkReplay(
        deps.database,
        { ...subscriptionOf(request), selection: selectionOf(request.selection) },
        { timeoutMs: context.timeoutMs() },
      );
      return {
        ...counts,
        ...(oldest !== null && { oldest: timestampFromDate(oldest) }),
        ...(newest !== null && { newest: timestampFromDate(newest) }),
        resources: resources.map(({ type, id, deliveries }) => ({
          resourceType: type,
          resourceId: id,
          deliveries,
        })),
      };
    },

    async createBulkReplay(request, context) {
      const replay = await createBulkReplay(
        deps,
        {
          ...subscriptionOf(request),
          membershipId: request.actingMembershipId,
          actor: actorOf(request),
          selection: selectionOf(request.selection),
          perMinute: required(request.perMinute, 'per_minute'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { replay: bulkReplayMessage(replay) };
    },

    async listBulkReplays(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const { replays, hasMore } = await listBulkReplays(database, {
        ...subscriptionOf(request),
        beforeReplayId: request.beforeReplayId,
        limit: pageSize(request.limit),
      });
      return { replays: replays.map(bulkReplayMessage), hasMore };
    },

    async getBulkReplay(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      return { replay: bulkReplayMessage(await getBulkReplay(database, replayOf(request))) };
    },

    async cancelBulkReplay(request, context) {
      const replay = await cancelBulkReplay(
        deps,
        { ...replayOf(request), membershipId: request.actingMembershipId, actor: actorOf(request) },
        { timeoutMs: context.timeoutMs() },
      );
      return { replay: bulkReplayMessage(replay) };
    },

    async listEvents(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const { events, nextBeforeId } = await listEvents(database, {
        companyId: required(request.companyId, 'company_id'),
        beforeEventId: request.beforeEventId,
        limit: pageSize(request.limit),
        events: eventsOf(request.event),
        resourceId: request.resourceId,
      });
      return {
        events: events.map(eventMessage),
        ...(nextBeforeId !== undefined && { nextBeforeEventId: nextBeforeId }),
      };
    },

    async getEvent(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const { event, body, subscriptions } = await getEvent(database, {
        companyId: required(request.companyId, 'company_id'),
        eventId: required(request.eventId, 'event_id'),
      });
      return { event: eventMessage(event), body, subscriptions: subscriptions.map(eventTrailMessage) };
    },

    async getSubscriptionStatistics(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      return statisticsMessage(
        await getSubscriptionStatistics(database, subscriptionOf(request), spanOf(request)),
      );
    },

    async getCompanyStatistics(request, context) {
      const companyId = required(request.companyId, 'company_id');
      const statistics = await getCompanyStatistics(deps.database, companyId, spanOf(request), {
        timeoutMs: context.timeoutMs(),
      });
      return {
        ...statisticsMessage(statistics),
        subscriptions: statistics.subscriptions.map(({ subscriptionId, totals }) => ({
          subscriptionId,
          totals: attemptCountsMessage(totals),
        })),
      };
    },
  };
}

function eventsOf(pattern: string | undefined): readonly string[] | undefined {
  if (pattern === undefined) return undefined;
  const events = eventsNamedBy(pattern);
  if (events.length > 0) return events;
  throw invalidArgument([{ path: 'event', message: 'must be an event of the catalogue, or a group' }]);
}

function optionalDate(instant: Timestamp | undefined): Date | undefined {
  return instant === undefined ? undefined : timestampDate(instant);
}

function spanOf(request: { readonly from?: Timestamp | undefined; readonly to?: Timestamp | undefined }) {
  return {
    from: timestampDate(required(request.from, 'from')),
    to: timestampDate(required(request.to, 'to')),
  };
}

function statisticsMessage({ bucketMinutes, buckets, totals }: Statistics) {
  return {
    bucketMinutes,
    buckets: buckets.map(statisticsBucketMessage),
    totals: attemptCountsMessage(totals),
  };
}

function selectionOf(message: SelectionMessage | undefined): BulkReplaySelection {
  const { states, from, to, event } = required(message, 'selection');
  return {
    states: states.map((state) => required(deliveryStateName(state), 'known state')),
    from: timestampDate(required(from, 'selection.from')),
    to: timestampDate(required(to, 'selection.to')),
    event,
  };
}

function replayOf(request: {
  readonly companyId?: string | undefined;
  readonly replayId?: string | undefined;
}) {
  return {
    companyId: required(request.companyId, 'company_id'),
    replayId: required(request.replayId, 'replay_id'),
  };
}
