import type { Attempt, Delivery } from '../../api/operations.js';
import { formatDuration } from '../../format.js';
import { type ExplainedAttempt, explainAttempt, type Explanation } from '../delivery/explain-attempt.js';

/** Outcome of a test delivery in plain words. */
export type TestOutcome =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'delivered'; readonly title: string }
  | (Explanation & {
      readonly kind: 'failed';
      readonly hasResponse: boolean;
      /** Technical details for the server's operator. */
      readonly seen: string | null;
      readonly responseBody: string | null;
    });

type TriedAttempt = ExplainedAttempt & Pick<Attempt, 'responseBody' | 'durationMs'>;

/** Derives the outcome from a delivery. A failed attempt is reported at once, even if more follow. */
export function outcomeOfTest(test: {
  readonly delivery: Pick<Delivery, 'state'>;
  readonly attempts: readonly TriedAttempt[];
}): TestOutcome {
  const last = test.attempts.at(-1);
  if (last === undefined) return { kind: 'waiting' };
  if (last.outcome === 'delivered' || test.delivery.state === 'delivered') {
    const status = last.responseStatus === null ? '' : ` with ${last.responseStatus}`;
    return {
      kind: 'delivered',
      title: `Your server responded${status} after ${formatDuration(last.durationMs)}.`,
    };
  }
  const hasResponse = last.outcome === 'rejected';
  return {
    kind: 'failed',
    ...explainAttempt(last),
    hasResponse,
    // For a response the explanation says everything.
    seen: hasResponse ? null : last.error,
    responseBody: last.responseBody,
  };
}
