import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type {
  BulkReplaySelection as SelectionMessage,
  DeliveryService,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type {
  BulkReplayPage,
  BulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import type { Delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import type { Logger } from '@partner/kernel/logger';
import { actorOf } from '../../audit/actor.js';
import { type Database, queryWithin } from '../../database/database.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { required } from '../../rpc/required.js';
import { pageSize } from '../../rpc/page-size.js';
import { shownDelivery, stateOf } from '../deliveries/delivery-resource.js';
import { subscriptionOf } from '../subscriptions/get-subscription.js';
import {
  type BulkReplaySelection,
  cancelBulkReplay,
  createBulkReplay,
  getBulkReplay,
  listBulkReplays,
  MAX_DELIVERIES_COUNTED,
  previewBulkReplay,
} from './bulk-replay.js';
import { shownBulkReplay } from './bulk-replay-resource.js';
import { replayDelivery } from './replay-delivery.js';
import { retryDelivery } from './retry-delivery.js';

/** Serves the RPCs with which a company's owner replays and retries deliveries, one or many. */
export function createReplayRpcs(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}): Pick<
  ServiceImpl<typeof DeliveryService>,
  | 'replayDelivery'
  | 'retryDelivery'
  | 'previewBulkReplay'
  | 'createBulkReplay'
  | 'listBulkReplays'
  | 'getBulkReplay'
  | 'cancelBulkReplay'
> {
  return {
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
        { timeoutMs: context.timeoutMs(), maxCounted: MAX_DELIVERIES_COUNTED },
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
        { timeoutMs: context.timeoutMs(), maxCounted: MAX_DELIVERIES_COUNTED },
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
