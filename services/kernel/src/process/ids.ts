import { typeid } from 'typeid-js';

/** Prefixes of ids; each names the type of the object. */
export type IdPrefix =
  | 'lead'
  | 'prj'
  | 'appt'
  | 'job'
  | 'mem'
  | 'doc'
  | 'evt'
  | 'whk'
  | 'dlv'
  | 'key'
  | 'cmp'
  | 'usr'
  | 'rpl'
  | 'aud'
  | 'ann'
  | 'ses'
  | 'mfa'
  | 'quo'
  | 'dep'
  | 'inv'
  | 'reb'
  | 'jrn'
  | 'pay'
  | 'ers';

/** Returns a new id: the prefix, `_`, and 26 characters that sort by creation time (TypeID over UUIDv7). */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

/** Returns whether a text has the form of an id with the prefix. Does not check existence. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/**
 * Returns the lowest id of the millisecond of an instant (1970 or later). Ids that were created at or after the instant
 * are greater or equal; earlier ids are smaller.
 */
export function idFloor(prefix: IdPrefix, instant: Date): string {
  let rest = instant.getTime();
  let time = '';
  for (let digit = 0; digit < TIME_DIGITS; digit += 1) {
    time = DIGITS.charAt(rest % DIGITS.length) + time;
    rest = Math.floor(rest / DIGITS.length);
  }
  return `${prefix}_${time}${'0'.repeat(RANDOM_DIGITS)}`;
}

/** Returns the millisecond in which an id was created; undefined if the text is not an id with the prefix. */
export function instantOfId(prefix: IdPrefix, text: string): Date | undefined {
  if (!isId(prefix, text)) return undefined;
  const time = text.slice(prefix.length + 1, prefix.length + 1 + TIME_DIGITS);
  return new Date(Array.from(time).reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0));
}
