import type { BulkReplayRequest } from '../../api/hooks.js';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/resources/attempt/attempt';
import {
  BULK_REPLAY_MAX_DAYS,
  DEFAULT_REPLAYS_PER_MINUTE,
  REPLAYED_STATES,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';

const DAY_MS = 86_400_000;

/**
 * Returns the request that a link to the page asks for. Without a choice it selects what was given up in the last day; all deliveries
 * that wait for a retry, if those are chosen.
 */
export function requestOf(query: URLSearchParams, now: Date): BulkReplayRequest {
  const state = REPLAYED_STATES.find((each) => each === query.get('status')) ?? 'dead_lettered';
  const to = Math.ceil(now.getTime() / 1_000) * 1_000;
  const outcome = ATTEMPT_OUTCOMES.find((each) => each === query.get('outcome'));
  const status = query.get('responseStatus');
  const days = state === 'retry_scheduled' ? BULK_REPLAY_MAX_DAYS : 1;
  return {
    states: [state],
    from: query.get('from') ?? new Date(to - days * DAY_MS).toISOString(),
    to: query.get('to') ?? new Date(to).toISOString(),
    event: query.get('event') ?? undefined,
    ...(outcome !== undefined && {
      cause: { outcome, responseStatus: status === null ? null : Number(status) },
    }),
    perMinute: DEFAULT_REPLAYS_PER_MINUTE,
  };
}
