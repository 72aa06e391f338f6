import type { TestOutcome } from './test-outcome.js';

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
