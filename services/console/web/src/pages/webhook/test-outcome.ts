import type { Attempt, Delivery } from '../../api/hooks.js';
import { formatDuration } from '../../format.js';
import { explainAttempt, type ExplainedAttempt, type Explanation } from '../delivery/explain-attempt.js';

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

/** Result of two tests of a secret: one is signed with it, the other one is signed wrongly and must be refused. */
export type SignatureProof =
  | 'waiting'
  /** The server accepted the first and refused the second. */
  | 'proven'
  /** The server accepted both, so it does not verify signatures. */
  | 'unverified'
  /** The first test failed. */
  | 'failed'
  /** The server accepted the first test; the second got no response or was not sent. */
  | 'unknown';

/** Combines the outcomes of both tests; undefined if the first was not sent. Any response but 2xx refuses a delivery. */
export function signatureProof(tests: {
  readonly valid: TestOutcome | undefined;
  readonly wrong: TestOutcome | undefined;
  readonly isSending: boolean;
}): SignatureProof | undefined {
  const { valid, wrong, isSending } = tests;
  if (isSending) return 'waiting';
  if (valid === undefined) return undefined;
  if (valid.kind === 'failed') return 'failed';
  if (wrong?.kind === 'delivered') return 'unverified';
  return wrong?.kind === 'failed' && wrong.hasResponse ? 'proven' : 'unknown';
}
