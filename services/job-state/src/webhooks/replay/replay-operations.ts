import type { BulkReplayPage } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import {
  cancelReplayOperation,
  getReplayOperation,
  listReplaysOperation,
  replayDeliveriesOperation,
} from '@partner/proto-contracts/resources/bulk-replay/operations';
import {
  cancelInboundEventReplayOperation,
  cancelInstallerEventReplayOperation,
  getInboundEventReplayOperation,
  getInstallerEventReplayOperation,
  previewInboundEventReplayOperation,
  previewInstallerEventReplayOperation,
  replayInboundEventsOperation,
  replayInstallerEventsOperation,
} from '@partner/proto-contracts/resources/event-replay/operations';
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
import { cancelBulkReplay, getBulkReplay, listBulkReplays } from './bulk-replay.js';
import { shownBulkReplay } from './bulk-replay-resource.js';
import { createBulkReplay, previewBulkReplay } from './replay-deliveries.js';
import { replayDelivery, retryDelivery } from './replay-delivery.js';
import { previewEventReplay, replayEvents } from './replay-events.js';

type Request = Pick<
  OperationRequest<unknown, unknown, 'id'>,
  'caller' | 'companyId' | 'params' | 'timeoutMs'
>;

interface ReplayDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}

export function replayOperations(deps: ReplayDeps): readonly Implementation[] {
  return [
    implement(replayDeliveryOperation, async (request) => {
      const delivery = await replayDelivery(deps, deliveryOf(request));
      return { json: JSON.stringify(shownDelivery(delivery) satisfies Delivery) };
    }),
    implement(retryDeliveryOperation, async (request) => {
      const delivery = await retryDelivery(deps, deliveryOf(request));
      return { json: JSON.stringify(shownDelivery(delivery) satisfies Delivery) };
    }),
    implement(replayDeliveriesOperation, async (request) => {
      const { preview, states, from, to, event, cause, perMinute } = request.body;
      const selection = { states, from: new Date(from), to: new Date(to), event, cause };
      const selected = { ...subscriptionOf(request), ...callerOf(request), selection, perMinute };
      if (preview) {
        return { status: 200, json: JSON.stringify(await previewBulkReplay(deps.database, selected)) };
      }
      const replay = await createBulkReplay(deps, selected);
      return { status: 202, json: JSON.stringify(shownBulkReplay(replay)) };
    }),
    implement(listReplaysOperation, async (request) => {
      const { replays, hasMore } = await listBulkReplays(within(deps, request), {
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
      const replay = await getBulkReplay(within(deps, request), replayOf(request));
      return { json: JSON.stringify(shownBulkReplay(replay)) };
    }),
    implement(cancelReplayOperation, async (request) => {
      const replay = await cancelBulkReplay(deps, { ...replayOf(request), ...callerOf(request) });
      return { json: JSON.stringify(shownBulkReplay(replay)) };
    }),
  ];
}

export function eventReplayOperations(
  deps: ReplayDeps & { readonly clock: () => Date },
): readonly Implementation[] {
  return [
    ...[previewInboundEventReplayOperation, previewInstallerEventReplayOperation].map((operation) =>
      implement(operation, async ({ body: { subscriptionId, ...selection }, ...request }) => {
        const replay = { companyId: request.companyId, subscriptionId, selection };
        const preview = await previewEventReplay(within(deps, request), replay, deps.clock());
        return { json: JSON.stringify(preview) };
      }),
    ),
    ...[replayInboundEventsOperation, replayInstallerEventsOperation].map((operation) =>
      implement(operation, async ({ body: { subscriptionId, ...selection }, ...request }) => {
        const { perMinute } = selection;
        const replay = { ...callerOf(request), subscriptionId, selection, perMinute };
        const { result, idempotency } = await replayEvents(deps, replay, request.idempotencyKey);
        return { json: JSON.stringify(result), ...(idempotency !== undefined && { idempotency }) };
      }),
    ),
    ...[getInboundEventReplayOperation, getInstallerEventReplayOperation].map((operation) =>
      implement(operation, async (request) => {
        const replay = await getBulkReplay(within(deps, request), eventReplayOf(request));
        return { json: JSON.stringify(shownBulkReplay(replay)) };
      }),
    ),
    ...[cancelInboundEventReplayOperation, cancelInstallerEventReplayOperation].map((operation) =>
      implement(operation, async (request) => {
        const replay = await cancelBulkReplay(deps, { ...eventReplayOf(request), ...callerOf(request) });
        return { json: JSON.stringify(shownBulkReplay(replay)) };
      }),
    ),
  ];
}

function within(
  { database }: ReplayDeps,
  { companyId, timeoutMs }: Pick<Request, 'companyId' | 'timeoutMs'>,
) {
  return queryWithin(database, { companyId, timeoutMs: timeoutMs() });
}

function callerOf({ companyId, caller, timeoutMs }: Omit<Request, 'params'>) {
  return { companyId, actor: callingActor(caller), timeoutMs };
}

function subscriptionOf({ companyId, params }: Request) {
  return { companyId, subscriptionId: pathId('whk', params.id, 'webhook subscription') };
}

function deliveryOf(request: Request) {
  return { ...callerOf(request), deliveryId: pathId('dlv', request.params.id, 'webhook delivery') };
}

function replayOf({ companyId, params }: Request) {
  return { companyId, replayId: pathId('rpl', params.id, 'bulk replay') };
}

/** Names a replay by API key or operator; an owner's bulk replay is `not_found`. */
function eventReplayOf({ companyId, params }: Request) {
  return { companyId, replayId: params.id, kind: 'events' } as const;
}
