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
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { callingActor } from '../../audit/actor.js';
import { type Database, queryWithin } from '../../database/database.js';
import { cancelBulkReplay, getBulkReplay, MAX_DELIVERIES_COUNTED } from './bulk-replay.js';
import { shownBulkReplay } from './bulk-replay-resource.js';
import { previewEventReplay, replayEvents } from './replay-events.js';

/** The operations with which the API keys of a company replay its events, and operators for it. */
export function eventReplayOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info'>;
}): readonly Implementation[] {
  return [
    ...[previewInboundEventReplayOperation, previewInstallerEventReplayOperation].map((operation) =>
      implement(operation, async ({ companyId, body, timeoutMs }) => {
        const preview = await previewEventReplay(
          queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() }),
          { companyId, subscriptionId: body.subscriptionId, selection: body },
          { now: deps.clock(), maxCounted: MAX_DELIVERIES_COUNTED },
        );
        return { json: JSON.stringify(preview) };
      }),
    ),
    ...[replayInboundEventsOperation, replayInstallerEventsOperation].map((operation) =>
      implement(operation, async ({ companyId, body, caller, idempotencyKey, timeoutMs }) => {
        const { result, idempotency } = await replayEvents(
          deps,
          {
            companyId,
            subscriptionId: body.subscriptionId,
            selection: body,
            perMinute: body.perMinute,
            binding: idempotencyKey,
            actor: callingActor(caller),
          },
          { timeoutMs: timeoutMs(), maxCounted: MAX_DELIVERIES_COUNTED },
        );
        return { json: JSON.stringify(result), ...(idempotency !== undefined && { idempotency }) };
      }),
    ),
    ...[getInboundEventReplayOperation, getInstallerEventReplayOperation].map((operation) =>
      implement(operation, async ({ companyId, params, timeoutMs }) => {
        const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
        const replay = await getBulkReplay(database, eventReplay(companyId, params.id));
        return { json: JSON.stringify(shownBulkReplay(replay)) };
      }),
    ),
    ...[cancelInboundEventReplayOperation, cancelInstallerEventReplayOperation].map((operation) =>
      implement(operation, async ({ companyId, params, caller, timeoutMs }) => {
        const replay = await cancelBulkReplay(
          deps,
          { ...eventReplay(companyId, params.id), actor: callingActor(caller) },
          { timeoutMs: timeoutMs() },
        );
        return { json: JSON.stringify(shownBulkReplay(replay)) };
      }),
    ),
  ];
}

/** Names a replay by API key or operator; an owner's bulk replay is `not_found`. */
function eventReplay(companyId: string, replayId: string) {
  return { companyId, replayId, kind: 'events' } as const;
}
