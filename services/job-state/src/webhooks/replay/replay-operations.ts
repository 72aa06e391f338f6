import type { BulkReplayPage } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import {
  cancelReplayOperation,
  getReplayOperation,
  listReplaysOperation,
  replayDeliveriesOperation,
} from '@partner/proto-contracts/resources/bulk-replay/operations';
import type { Delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  replayDeliveryOperation,
  retryDeliveryOperation,
} from '@partner/proto-contracts/resources/delivery/operations';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor } from '../../audit/actor.js';
import { type Database, queryWithin } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import { shownDelivery } from '../deliveries/delivery-resource.js';
import {
  cancelBulkReplay,
  createBulkReplay,
  getBulkReplay,
  listBulkReplays,
  MAX_DELIVERIES_COUNTED,
  previewBulkReplay,
} from './bulk-replay.js';
import { shownBulkReplay } from './bulk-replay-resource.js';
import { replayDelivery, retryDelivery } from './replay-delivery.js';

type Request = Pick<
  OperationRequest<unknown, unknown, 'id'>,
  'caller' | 'companyId' | 'params' | 'timeoutMs'
>;

/** The operations with which owners and operators replay and retry deliveries, one or many. */
export function replayOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}): readonly Implementation[] {
  const within = ({ companyId, timeoutMs }: Request) =>
    queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
  return [
    implement(replayDeliveryOperation, async (request) => {
      const delivery = await replayDelivery(deps, deliveryOf(request), { timeoutMs: request.timeoutMs() });
      return { json: JSON.stringify(shownDelivery(delivery) satisfies Delivery) };
    }),
    implement(retryDeliveryOperation, async (request) => {
      const delivery = await retryDelivery(deps, deliveryOf(request), { timeoutMs: request.timeoutMs() });
      return { json: JSON.stringify(shownDelivery(delivery) satisfies Delivery) };
    }),
    implement(replayDeliveriesOperation, async (request) => {
      const { preview, states, from, to, event, perMinute } = request.body;
      const selection = { states, from: new Date(from), to: new Date(to), event };
      const actor = callingActor(request.caller);
      const selected = { ...subscriptionOf(request), actor, selection, perMinute };
      const limits = { timeoutMs: request.timeoutMs(), maxCounted: MAX_DELIVERIES_COUNTED };
      if (preview) {
        const found = await previewBulkReplay(deps.database, selected, limits);
        return { status: 200, json: JSON.stringify(found) };
      }
      const replay = await createBulkReplay(deps, selected, limits);
      return { status: 202, json: JSON.stringify(shownBulkReplay(replay)) };
    }),
    implement(listReplaysOperation, async (request) => {
      const { replays, hasMore } = await listBulkReplays(within(request), {
        ...subscriptionOf(request),
        beforeReplayId: request.after,
        limit: request.query.limit,
      });
      const page = {
        replays: replays.map(shownBulkReplay),
        nextCursor: hasMore ? (replays.at(-1)?.id ?? null) : null,
      };
      return { json: JSON.stringify(page satisfies BulkReplayPage) };
    }),
    implement(getReplayOperation, async (request) => {
      const replay = await getBulkReplay(within(request), replayOf(request));
      return { json: JSON.stringify(shownBulkReplay(replay)) };
    }),
    implement(cancelReplayOperation, async (request) => {
      const replay = await cancelBulkReplay(
        deps,
        { ...replayOf(request), actor: callingActor(request.caller) },
        { timeoutMs: request.timeoutMs() },
      );
      return { json: JSON.stringify(shownBulkReplay(replay)) };
    }),
  ];
}

function subscriptionOf({ companyId, params }: Request) {
  return { companyId, subscriptionId: pathId('whk', params.id, 'webhook subscription') };
}

function deliveryOf({ companyId, params, caller }: Request) {
  const deliveryId = pathId('dlv', params.id, 'webhook delivery');
  return { companyId, deliveryId, actor: callingActor(caller) };
}

function replayOf({ companyId, params }: Request) {
  return { companyId, replayId: pathId('rpl', params.id, 'bulk replay') };
}
