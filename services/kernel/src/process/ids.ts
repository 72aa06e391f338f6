import { TypeID, typeid } from 'typeid-js';

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
  | 'ers'
  | 'trq'
  | 'wpr';

/** Returns a new id: the prefix, `_`, and 26 characters that sort by creation time (TypeID over UUIDv7). */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

/** Returns whether a text has the form of an id with the prefix. Does not check existence. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));
}

/** UUIDv7 begins with the milliseconds since 1970, in 48 bits. */
const TIME_BYTES = 6;

/**
 * Returns the lowest id of the millisecond of an instant (1970 or later). Ids that were created at or after the instant
 * are greater or equal; earlier ids are smaller.
 */
export function idFloor(prefix: IdPrefix, instant: Date): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(instant.getTime(), 0, TIME_BYTES);
  return TypeID.fromUUIDBytes(prefix, bytes).toString();
}

/** Returns the millisecond in which an id was created; undefined if the text is not an id with the prefix. */
export function instantOfId(prefix: IdPrefix, text: string): Date | undefined {
  if (!isId(prefix, text)) return undefined;
  return new Date(Buffer.from(TypeID.fromString(text).toUUIDBytes()).readUIntBE(0, TIME_BYTES));
}
