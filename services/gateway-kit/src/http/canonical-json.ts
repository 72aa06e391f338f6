import { createHash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';
import { withExactNumbers } from './exact-numbers.js';

/**
 * Returns the SHA-256 of a JSON value in canonical form, so that two texts of the same value hash the same. Canonical
 * form has no spaces and orders the keys of each object by UTF-16 code units. `undefined`, for a request without a
 * body, hashes as the empty text. The value must not nest deeper than `MAX_JSON_DEPTH`.
 */
export function sha256OfCanonicalJson(value: unknown): Buffer {
  return createHash('sha256')
    .update(value === undefined ? '' : stringify(value))
    .digest();
}

/** A JSON value that a client has sent. */
export interface SentJson {
  readonly value: unknown;
  /** The value with the exact decimals of numbers as texts, if `value` does not hold all of them exactly. */
  readonly exact: unknown;
}

/** Parses a JSON text. Throws a `SyntaxError` for any other text. */
export function parseSentJson(text: string): SentJson {
  const value: unknown = JSON.parse(text);
  const exact = withExactNumbers(text);
  return { value, exact: exact === undefined ? undefined : JSON.parse(exact) };
}

/**
 * Returns the SHA-256 that binds an idempotency key to a body (decision IDEM-5): {@link sha256OfCanonicalJson}, or, if numbers do not
 * survive parsing, the SHA-256 of the canonical forms of value and exact value, separated by a line break, which no such form contains.
 */
export function sha256OfSentJson(sent: SentJson | undefined): Buffer {
  if (sent?.exact === undefined) return sha256OfCanonicalJson(sent?.value);
  return createHash('sha256')
    .update(`${stringify(sent.value)}\n${stringify(sent.exact)}`)
    .digest();
}
