import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type {
  BulkReplaySelection as SelectionMessage,
  DeliveryService,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type {
  BulkReplayPage,
  BulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import type {
  ShownCompanyStatistics,
  ShownStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import type { EventPage, EventWithTrail } from '@partner/proto-contracts/resources/event/event';
import {
  type Delivery,
  DELIVERY_STATES,
  type DeliveryPage,
  type DeliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { eventsNamedBy } from '@partner/proto-contracts/events/webhook-events';
import { invalidArgument } from '@partner/kernel/validation';
import type { Logger } from '@partner/kernel/logger';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { shownEvent, shownEventTrail } from './events/event-resource.js';
import { getEvent } from './events/get-event.js';
import { listEvents } from './events/list-events.js';
import { pageSize } from '../rpc/page-size.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import { getCompanyStatistics, getSubscriptionStatistics } from './statistics/read-statistics.js';
import { shownCounts, shownStatistics } from './statistics/statistics-resource.js';
import { subscriptionOf } from './subscriptions/get-subscription.js';
import {
  type BulkReplaySelection,
  cancelBulkReplay,
  createBulkReplay,
  getBulkReplay,
  listBulkReplays,
  previewBulkReplay,
} from './replay/bulk-replay.js';
import { shownBulkReplay } from './replay/bulk-replay-resource.js';
import {
  type DeliveryStateName,
  shownAttempt,
  shownDelivery,
  shownListedDelivery,
} from './schedule/delivery-resource.js';
import { getDelivery } from './attempts/get-delivery.js';
import { listDeliveries } from './attempts/list-deliveries.js';
import { replayDelivery } from './replay/replay-delivery.js';
import { retryDelivery } from './replay/retry-delivery.js';

/** Dependencies of the delivery service. */
export interface DeliveryServiceDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}

/** The same for a missing resource and for another company's: existence is not confirmed. */
const NONE_CONCERNED_YOU =
  'No event that is still kept and that you asked for was about this resource and concerned your company: it may not exist,' +
  ' or not be yours, for instance because the job is not assigned to your company, or nothing has happened to it.';

/** Serves the RPCs with which a company's owner reads events and webhook deliveries, and replays deliveries. */
export function createDeliveryService(deps: DeliveryServiceDeps): ServiceImpl<typeof DeliveryService> {
  return {
    async listDeliveries(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { state } = request;
      const { deliveries, nextBeforeId } = await listDeliveries(database, {
        companyId: required(request.companyId, 'company_id'),
        subscriptionId: request.subscriptionId,
        beforeDeliveryId: request.beforeDeliveryId,
        limit: pageSize(request.limit),
        state: state === undefined ? undefined : stateOf(state),
        events: eventsOf(request.event),
        created: { from: optionalDate(request.from), to: optionalDate(request.to) },
        resourceId: request.resourceId,
        search: request.search,
      });
      const page = { deliveries: deliveries.map(shownListedDelivery), nextCursor: nextBeforeId ?? null };
      return { resourceJson: JSON.stringify(page satisfies DeliveryPage) };
    },

    async getDelivery(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { delivery, attempts, body } = await getDelivery(database, {
        companyId: required(request.companyId, 'company_id'),
        deliveryId: required(request.deliveryId, 'delivery_id'),
      });
      const found = {
        delivery: shownDelivery(delivery),
        attempts: attempts.map(shownAttempt),
        body: body === null ? null : body.toString('utf8'),
      };
      return { resourceJson: JSON.stringify(found satisfies DeliveryWithAttempts) };
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
      return { resourceJson: JSON.stringify(shownDelivery(delivery) satisfies Delivery) };
    },

    async retryDelivery(request, context) {
      const delivery = await retryDelivery(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          deliveryId: required(request.deliveryId, 'delivery_id'),
          membershipId: request.actingMembershipId,
          actor: actorOf(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(shownDelivery(delivery) satisfies Delivery) };
    },

    async previewBulkReplay(request, context) {
      const perMinute = required(request.perMinute, 'per_minute');
      const { deliveries, atLeast, oldest, newest, resourceCount, resources } = await previewBulkReplay(
        deps.database,
        { ...subscriptionOf(request), selection: selectionOf(request.selection), perMinute },
        { timeoutMs: context.timeoutMs() },
      );
      const preview = {
        deliveries,
        atLeast,
        oldest: formatOptionalDateTime(oldest),
        newest: formatOptionalDateTime(newest),
        resourceCount,
        resources: resources.map((resource) => ({
          type: resource.type,
          id: resource.id,
          deliveries: resource.deliveries,
        })),
        estimatedMinutes: Math.ceil(deliveries / perMinute),
      };
      return { resourceJson: JSON.stringify(preview satisfies BulkReplayPreview) };
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
      return { resourceJson: JSON.stringify(shownBulkReplay(replay)) };
    },

    async listBulkReplays(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { replays, hasMore } = await listBulkReplays(database, {
        ...subscriptionOf(request),
        beforeReplayId: request.beforeReplayId,
        limit: pageSize(request.limit),
      });
      const page = {
        replays: replays.map(shownBulkReplay),
        nextCursor: hasMore ? (replays.at(-1)?.id ?? null) : null,
      };
      return { resourceJson: JSON.stringify(page satisfies BulkReplayPage) };
    },

    async getBulkReplay(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const replay = await getBulkReplay(database, replayOf(request));
      return { resourceJson: JSON.stringify(shownBulkReplay(replay)) };
    },

    async cancelBulkReplay(request, context) {
      const replay = await cancelBulkReplay(
        deps,
        { ...replayOf(request), membershipId: request.actingMembershipId, actor: actorOf(request) },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(shownBulkReplay(replay)) };
    },

    async listEvents(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { events, nextBeforeId } = await listEvents(database, {
        companyId: required(request.companyId, 'company_id'),
        beforeEventId: request.beforeEventId,
        limit: pageSize(request.limit),
        events: eventsOf(request.event),
        resourceId: request.resourceId,
      });
      const isNone = events.length === 0 && request.beforeEventId === undefined && nextBeforeId === undefined;
      const page = {
        events: events.map(shownEvent),
        nextCursor: nextBeforeId ?? null,
        explanation: isNone && request.resourceId !== undefined ? NONE_CONCERNED_YOU : null,
      };
      return { resourceJson: JSON.stringify(page satisfies EventPage) };
    },

    async getEvent(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { event, body, subscriptions } = await getEvent(database, {
        companyId: required(request.companyId, 'company_id'),
        eventId: required(request.eventId, 'event_id'),
      });
      const found = {
        event: shownEvent(event),
        body: body.toString('utf8'),
        subscriptions: subscriptions.map(shownEventTrail),
      };
      return { resourceJson: JSON.stringify(found satisfies EventWithTrail) };
    },

    async getSubscriptionStatistics(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const subscription = subscriptionOf(request);
      const found = await getSubscriptionStatistics(database, subscription, spanOf(request));
      const statistics = { webhookId: subscription.subscriptionId, ...shownStatistics(found) };
      return { resourceJson: JSON.stringify(statistics satisfies ShownStatistics) };
    },

    async getCompanyStatistics(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const companyId = required(request.companyId, 'company_id');
      const found = await getCompanyStatistics(database, companyId, spanOf(request));
      const statistics = {
        webhooks: found.subscriptions.map(({ subscriptionId, totals }) => ({
          webhookId: subscriptionId,
          totals: shownCounts(totals),
        })),
        ...shownStatistics(found),
      };
      return { resourceJson: JSON.stringify(statistics satisfies ShownCompanyStatistics) };
    },
  };
}

function stateOf(name: string): DeliveryStateName {
  return required(
    DELIVERY_STATES.find((known) => known === name),
    'known state',
  );
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

function selectionOf(message: SelectionMessage | undefined): BulkReplaySelection {
  const { states, from, to, event } = required(message, 'selection');
  return {
    states: states.map(stateOf),
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
