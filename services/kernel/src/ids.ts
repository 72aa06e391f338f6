import { typeid } from 'typeid-js';

/** The prefixes of our ids, each naming what the id stands for. */
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
  | 'quo'
  | 'dep'
  | 'inv'
  | 'reb'
  | 'jrn'
  | 'pay';

/** Makes an id: the prefix, `_`, and 26 characters that sort by time of creation (TypeID over UUIDv7). */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

/** Tells whether a text has the form of an id with the prefix; says nothing about existence. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_DIGITS = 10;
const RANDOM_DIGITS = 16;

/**
 * The lowest id that can be made in the millisecond of an instant (1970 or later): every id with the prefix that was made at
 * the instant or after it sorts after this one or is equal to it, and every earlier one before it.
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

/** The millisecond in which an id with the prefix was made; undefined for a text that is no such id. */
export function instantOfId(prefix: IdPrefix, text: string): Date | undefined {
  if (!isId(prefix, text)) return undefined;
  const time = text.slice(prefix.length + 1, prefix.length + 1 + TIME_DIGITS);
  return new Date(Array.from(time).reduce((sum, digit) => sum * DIGITS.length + DIGITS.indexOf(digit), 0));
}
