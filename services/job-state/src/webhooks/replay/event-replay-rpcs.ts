import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type {
  EventFeedService,
  EventReplaySelection,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/event_feed_service_pb';
import type { Logger } from '@partner/kernel/logger';
import { actorOf } from '../../audit/actor.js';
import { type Database, queryWithin } from '../../database/database.js';
import { idempotencyOutcome } from '../../idempotency/idempotency-outcome.js';
import { readBinding } from '../../idempotency/read-binding.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { required } from '../../rpc/required.js';
import { cancelBulkReplay, getBulkReplay, MAX_DELIVERIES_COUNTED } from './bulk-replay.js';
import { shownBulkReplay } from './bulk-replay-resource.js';
import { type EventSelection, previewEventReplay, replayEvents } from './replay-events.js';

/** Serves the RPCs with which the API keys of a company replay its events, and operators for it. */
export function createEventReplayRpcs(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info'>;
}): Pick<
  ServiceImpl<typeof EventFeedService>,
  'previewEventReplay' | 'replayEvents' | 'getEventReplay' | 'cancelEventReplay'
> {
  return {
    async previewEventReplay(request, context) {
      const preview = await previewEventReplay(
        queryWithin(deps.database, callerLimits(request, context)),
        {
          companyId: required(request.companyId, 'company_id'),
          subscriptionId: request.subscriptionId,
          selection: selectionOf(required(request.selection, 'selection')),
        },
        { now: deps.clock(), maxCounted: MAX_DELIVERIES_COUNTED },
      );
      return { resourceJson: JSON.stringify(preview) };
    },

    async replayEvents(request, context) {
      const { subscriptionId, idempotencyKey } = request;
      const { result, idempotency } = await replayEvents(
        deps,
        {
          companyId: required(request.companyId, 'company_id'),
          subscriptionId,
          selection: selectionOf(required(request.selection, 'selection')),
          perMinute: required(request.perMinute, 'per_minute'),
          binding: idempotencyKey === undefined ? undefined : readBinding(idempotencyKey),
          actor: actorOf(request),
        },
        { timeoutMs: context.timeoutMs(), maxCounted: MAX_DELIVERIES_COUNTED },
      );
      return {
        resourceJson: JSON.stringify(result),
        ...(idempotency === undefined ? {} : { idempotency: idempotencyOutcome(idempotency) }),
      };
    },

    async getEventReplay(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      return {
        resourceJson: JSON.stringify(shownBulkReplay(await getBulkReplay(database, replayOf(request)))),
      };
    },

    async cancelEventReplay(request, context) {
      const replay = await cancelBulkReplay(
        deps,
        { ...replayOf(request), actor: actorOf(request) },
        { timeoutMs: context.timeoutMs() },
      );
      return { resourceJson: JSON.stringify(shownBulkReplay(replay)) };
    },
  };
}

function selectionOf(message: EventReplaySelection): EventSelection {
  const { fromSequence, toSequence, from, to, eventIds, event } = message;
  return {
    fromSequence: fromSequence === undefined ? undefined : Number(fromSequence),
    toSequence: toSequence === undefined ? undefined : Number(toSequence),
    from: dateOf(from),
    to: dateOf(to),
    eventIds: eventIds.length === 0 ? undefined : eventIds,
    event,
  };
}

function dateOf(timestamp: Timestamp | undefined): Date | undefined {
  return timestamp === undefined ? undefined : timestampDate(timestamp);
}

function replayOf(request: {
  readonly companyId?: string | undefined;
  readonly replayId?: string | undefined;
}) {
  return {
    companyId: required(request.companyId, 'company_id'),
    replayId: required(request.replayId, 'replay_id'),
    kind: 'events',
  } as const;
}
