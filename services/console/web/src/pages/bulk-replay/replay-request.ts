import type { BulkReplayRequest } from '../../api/hooks.js';
import {
  BULK_REPLAY_MAX_DAYS,
  DEFAULT_REPLAYS_PER_MINUTE,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';

const DAY_MS = 86_400_000;
const MAX_PER_MINUTE = 60_000;

/** Current input of the form. */
export interface ReplayDraft {
  readonly states: BulkReplayRequest['states'];
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly event: string | undefined;
  readonly perMinute: number;
}

/** Returns a draft that selects the dead-lettered deliveries of the last day, or all that wait for a retry. */
export function firstDraft(
  now: Date,
  status: 'dead_lettered' | 'retry_scheduled' = 'dead_lettered',
): ReplayDraft {
  return {
    states: [status],
    ...lastDays(status === 'dead_lettered' ? 1 : BULK_REPLAY_MAX_DAYS, now),
    event: undefined,
    perMinute: DEFAULT_REPLAYS_PER_MINUTE,
  };
}

/** Says what happens to deliveries in these states: waiting ones are retried, others sent again. */
export function verbOf(states: readonly string[]): 'Retry' | 'Replay' | 'Replay and retry' {
  if (!states.includes('retry_scheduled')) return 'Replay';
  return states.length === 1 ? 'Retry' : 'Replay and retry';
}

/** Returns the span of the last `days` days, to the full second. */
export function lastDays(days: number, now: Date): { readonly from: string; readonly to: string } {
  const to = Math.ceil(now.getTime() / 1_000) * 1_000;
  return { from: new Date(to - days * DAY_MS).toISOString(), to: new Date(to).toISOString() };
}

/** Returns the violations of a draft by field; empty if it can be sent. */
export function draftViolations(draft: ReplayDraft): Readonly<Record<string, string>> {
  const violations: Record<string, string> = {};
  if (draft.states.length === 0) violations['states'] = 'Choose at least one';
  if (draft.from === undefined) violations['from'] = 'Enter a time';
  if (draft.to === undefined) violations['to'] = 'Enter a time';
  if (draft.from !== undefined && draft.to !== undefined) {
    const spanMs = Date.parse(draft.to) - Date.parse(draft.from);
    if (spanMs <= 0) violations['to'] = 'Must be after the time in From';
    if (spanMs > BULK_REPLAY_MAX_DAYS * DAY_MS) {
      violations['to'] = `Must be at most ${BULK_REPLAY_MAX_DAYS} days after the time in From`;
    }
  }
  if (!Number.isInteger(draft.perMinute) || draft.perMinute < 1 || draft.perMinute > MAX_PER_MINUTE) {
    violations['perMinute'] = 'Enter a number from 1 to 60,000';
  }
  return violations;
}

/** Returns the request of a draft; undefined if it has violations. */
export function requestOf(draft: ReplayDraft): BulkReplayRequest | undefined {
  const { states, from, to, event, perMinute } = draft;
  if (Object.keys(draftViolations(draft)).length > 0 || from === undefined || to === undefined)
    return undefined;
  return { states, from, to, perMinute, ...(event === undefined ? {} : { event }) };
}
