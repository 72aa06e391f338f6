import { typeid } from 'typeid-js';

/** The prefixes of our ids, each naming what the id stands for. */
export type IdPrefix =
  'lead' | 'prj' | 'appt' | 'job' | 'mem' | 'doc' | 'evt' | 'whk' | 'dlv' | 'key' | 'cmp' | 'usr';

/** Makes an id: the prefix, `_`, and 26 characters that sort by time of creation (TypeID over UUIDv7). */
export function newId(prefix: IdPrefix): string {
  return typeid(prefix).toString();
}

/** Tells whether a text has the form of an id with the prefix; says nothing about existence. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text.slice(prefix.length + 1));
}
