import { createHash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';

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

/** A text, which is skipped with all that looks like a number in it, or a number. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
/** A double holds every decimal of 15 digits. */
const SAFE_LENGTH = 15;
/** An exponent of more digits, without zeros before them. */
const LONG_EXPONENT = /^([+-]?)0*([1-9]\d{15,})$/;

/**
 * Returns a JSON text with the exact decimal, as a text, instead of each number that `JSON.parse` changes: beyond the precision or the
 * range of a double. Returns undefined if all numbers survive. The text must be valid JSON. Takes time in proportion to its length.
 */
function withExactNumbers(json: string): string | undefined {
  const exact = json.replaceAll(TEXT_OR_NUMBER, (token) => {
    if (token.startsWith('"') || (token.length <= SAFE_LENGTH && !/[eE]/.test(token))) return token;
    const decimal = decimalOf(token);
    const parsed = Number(token);
    if (Number.isFinite(parsed) && decimalOf(String(parsed)) === decimal) return token;
    return `"${decimal}"`;
  });
  return exact === json ? undefined : exact;
}

/**
 * Returns the value of a number in one form: sign, digits without zeros at both ends, and the power of ten of the first digit. A long
 * exponent stays apart from the place of that digit: to add them takes more than linear time, and such a number is 0 or infinite anyway.
 */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  const place = whole.length - start;
  const [, exponentSign = '', long] = LONG_EXPONENT.exec(exponent) ?? [];
  const power =
    long === undefined ? Number(exponent) + place : `${exponentSign.replace('+', '')}${long},${place}`;
  return `${sign}${digits.slice(start, end)}e${power}`;
}
