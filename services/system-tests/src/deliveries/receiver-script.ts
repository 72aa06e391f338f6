import { fractionOf } from '@partner/test-kit/seeded-random';
import type { ReceivedWebhook, ReceiverResponse } from '../support/webhook-receiver.js';

/** The receivers of these paths never respond as they should, except to tests. */
export const HOSTILE_PATHS = {
  fails: '/always-fails',
  resets: '/resets',
  garbage: '/garbage',
  slow: '/slow',
} as const;
/** Far within the time limit of an attempt, also on a busy machine. */
const SLOWNESS_MS = 2_500;

const EVENTS_THAT_ALWAYS_FAIL = 0.03;
const TAKEN: ReceiverResponse = { kind: 'status', status: 204 };

/** The responses to a part of the attempts, by the upper end of the part; all others are accepted at once. */
const RARE_RESPONSES: readonly {
  readonly below: number;
  readonly respond: (dice: number) => ReceiverResponse;
}[] = [
  { below: 0.005, respond: () => ({ kind: 'none' }) },
  { below: 0.05, respond: () => ({ kind: 'closed' }) },
  { below: 0.12, respond: () => ({ kind: 'status', status: 500 }) },
  { below: 0.16, respond: () => ({ kind: 'status', status: 429, retryAfterSeconds: 1 }) },
  { below: 0.18, respond: () => ({ kind: 'status', status: 503, retryAfterSeconds: 2 }) },
  {
    below: 0.21,
    respond: () => ({
      kind: 'status',
      status: 302,
      headers: { location: 'https://elsewhere.partner.test/' },
    }),
  },
  { below: 0.3, respond: (dice) => ({ kind: 'status', status: 200, afterMs: Math.ceil(1_500 * dice) }) },
];

/**
 * A receiver that takes most of what it gets and refuses, delays, drops or ignores the rest, by its seed, the event, and how often
 * it has come. Some events it never takes, tests it always does. Those of {@link HOSTILE_PATHS} take nothing, or late.
 */
export function scriptedReceiver(
  seed: number,
): (webhook: Pick<ReceivedWebhook, 'path' | 'envelope'>) => ReceiverResponse {
  const times = new Map<string, number>();
  return ({ path, envelope }) => {
    if (envelope.event === 'install.test') return TAKEN;
    const key = `${path} ${envelope.id}`;
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    if (path === HOSTILE_PATHS.resets) return { kind: 'closed' };
    if (path === HOSTILE_PATHS.garbage) return { kind: 'garbage' };
    if (path === HOSTILE_PATHS.slow) return { kind: 'status', status: 200, afterMs: SLOWNESS_MS };
    if (path === HOSTILE_PATHS.fails || fractionOf(seed, key) < EVENTS_THAT_ALWAYS_FAIL) {
      return { kind: 'status', status: time % 2 === 0 ? 500 : 404 };
    }
    const dice = fractionOf(seed, key, time);
    const rare = RARE_RESPONSES.find(({ below }) => dice < below);
    return rare?.respond(fractionOf(seed, key, time, 'delay')) ?? TAKEN;
  };
}
