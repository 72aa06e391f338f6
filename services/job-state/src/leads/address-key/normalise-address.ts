import { createHash } from 'node:crypto';
import { normaliseNumbers } from './normalise-numbers.js';
import { normaliseRoutes } from './normalise-routes.js';
import { normaliseStreet } from './normalise-street.js';
import { normaliseTail } from './normalise-tail.js';
import { BOUNDARY, CARE_OF, normaliseText, trimBoundaries } from './normalise-text.js';
import { normaliseUnits, splitGluedUnits } from './normalise-units.js';
import { DIRECTIONALS } from './usps-abbreviations.js';

/** Maximum size of a key in UTF-8 bytes. An index of the database takes entries of about 2,700. */
const MAX_KEY_BYTES = 2_000;

/**
 * Returns the key that de-duplicates leads of one company: spellings of one US address have one key (spec: Inbound, rule).
 *
 * It folds Unicode compatibility forms, Latin accents, case, punctuation and spaces. It unifies street suffixes, directionals,
 * unit designators, numbers in words, boxes, rural routes and numbered roads (USPS Publication 28) and state names. It cuts
 * ZIP+4 to ZIP, and puts the units first, in one order. It is pure, takes time linear in the length, and never returns an empty
 * key for a text that is not empty. A key has at most 2,000 bytes; a longer one is replaced by its hash.
 *
 * If two readings are possible, the addresses stay apart: a person can merge a duplicate lead, but a customer who was merged
 * into another one is lost. So a part that only one of two addresses has, be it unit, ZIP, city or suffix, makes them
 * different, as do leading zeros of a number. Apartment, unit and number sign are one door; a suite, floor, lot or building 4
 * is a different one.
 *
 * Known limits, since it has no gazetteer. It splits: a directional between street and city without a comma, if there is no ZIP
 * (`Main St N Troy`) or it has two words (`Main St South West Troy`), and before a saint there (`East St Charles St Troy`);
 * names written in one word or two (`Lakeshore`, `Lake Shore`) or by other names (`MLK Blvd`, `MLK Jr Blvd`); a unit without
 * designator (`12 Main St 4B`); Suite 4 and #4; a name before the address; misspellings. It merges: a `Trail` and a `Trails`,
 * as Publication 28 does; a state road and a state route of one number, since `SR` is both; a drawer and a box of one number;
 * `Main St N, Troy` and `Main St, N Troy` of one ZIP.
 *
 * Keys are stored: a changed rule would no longer find the leads of before. The lists of suffixes, units and states are therefore those of
 * Publication 28 as a whole.
 *
 * It uses no parser library, because they guess and drop what they cannot assign: parse-address 1.1.2 merges `12 1/2` and `12
 * 1/4 Main St`, and `RR 2 Box 18` and `Box 19`; addresser 1.1.22 merges `RR 2` and `HC 2 Box 18`; libpostal returns many
 * expansions of an address instead of one key, from a model of two gigabytes.
 */
export function normaliseAddress(address: string): string {
  const words = splitGluedUnits(normaliseNumbers(normaliseText(address)));
  const { rest, state, zip } = normaliseTail(words);
  const { units, rest: place } = normaliseUnits(normaliseRoutes(dropCareOf(rest)));
  const street = markSides(normaliseStreet(place), zip !== undefined);
  const isApart = units.length > 0 && street.length > 0;
  const key = [...units, isApart ? BOUNDARY : '', ...street, state ?? '', zip ?? '']
    .filter((word) => word !== '')
    .join(' ');
  return boundKey(key === '' ? signsOnly(address) : key);
}

/** An address without a letter or digit equals only itself. */
function signsOnly(address: string): string {
  const signs = address.normalize('NFKC').trim();
  return signs === '' ? address : signs;
}

/** Compatibility forms of other scripts may be many times as long as the input. */
function boundKey(key: string): string {
  return Buffer.byteLength(key) <= MAX_KEY_BYTES
    ? key
    : `SHA256 ${createHash('sha256').update(key).digest('hex').toUpperCase()}`;
}

/**
 * Drops the parts that name a person if it is certain where they end: a house is one address for all its guests.
 *
 * A part with a number may be the address itself: there the name is the text before the number.
 */
function dropCareOf(words: readonly string[]): readonly string[] {
  if (!words.includes(CARE_OF)) return words;
  const parts = words
    .join(' ')
    .split(` ${BOUNDARY} `)
    .map((part) => part.split(' '));
  const isAddressElsewhere = parts.some((part) => part[0] !== CARE_OF && hasNumber(part));
  const kept = parts.flatMap((part, index) => {
    if (part[0] !== CARE_OF) return [part];
    if (!hasNumber(part)) return isAddressElsewhere && index < parts.length - 1 ? [] : [part];
    const number = part.findIndex((word) => /^\d/.test(word));
    return index === 0 && number > 1 ? [part.slice(number)] : [part];
  });
  return kept.flatMap((part, index) => (index === 0 ? part : [BOUNDARY, ...part]));
}

function hasNumber(words: readonly string[]): boolean {
  return words.some((word) => /\d/.test(word));
}

/**
 * Drops the boundaries, apart from those that change the meaning.
 *
 * One stays after a street that is a lone directional (`12 East, Troy`). Without a ZIP, one stays that assigns N, E, S or W to
 * a side: `Main St N, Troy` is not `Main St, N Troy`.
 */
function markSides(words: readonly string[], hasZip: boolean): readonly string[] {
  const isLone = (word: string | undefined) => /^[NESW]$/.test(word ?? '');
  return trimBoundaries(words).filter((word, index, trimmed) => {
    if (word !== BOUNDARY) return true;
    if (index === 2 && DIRECTIONALS.has(trimmed[1] ?? '')) return true;
    return !hasZip && (isLone(trimmed[index - 1]) || isLone(trimmed[index + 1]));
  });
}
