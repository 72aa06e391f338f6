import type { Attempt, ListedDelivery } from '../../api/hooks.js';
import { explainAttempt } from '../delivery/explain-attempt.js';

/** Deliveries to one webhook, in one state, whose last attempt failed in the same way. */
export interface Cause {
  readonly key: string;
  readonly webhookId: string;
  readonly state: ListedDelivery['state'];
  readonly outcome: Attempt['outcome'];
  readonly responseStatus: number | null;
  readonly text: string;
  readonly count: number;
  /** When the oldest of them was created, and when the newest. */
  readonly oldest: string;
  readonly newest: string;
}

/** Groups deliveries by webhook, state and cause, the largest group first. Tests are none. */
export function causesOf(deliveries: readonly ListedDelivery[]): readonly Cause[] {
  const causes = new Map<string, Cause>();
  for (const { subscriptionId, state, createdAt, lastAttempt, isTest } of deliveries) {
    if (isTest || lastAttempt === null) continue;
    const { outcome, responseStatus } = lastAttempt;
    const key = [subscriptionId, state, outcome, responseStatus].join(' ');
    const { count = 0, oldest = createdAt, newest = createdAt } = causes.get(key) ?? {};
    const { what } = explainAttempt({ ...lastAttempt, exchange: null, secretVersion: 0 });
    causes.set(key, {
      ...{ key, webhookId: subscriptionId, state, outcome, responseStatus, count: count + 1 },
      // Without the steps of the attempt a timeout has no further explanation.
      text: outcome === 'timed_out' ? 'Your server did not respond in time.' : what,
      oldest: createdAt < oldest ? createdAt : oldest,
      newest: createdAt > newest ? createdAt : newest,
    });
  }
  return [...causes.values()].sort((one, other) => other.count - one.count);
}
