import { ordinal } from './normalise-numbers.js';
import { BOUNDARY } from './normalise-text.js';
import {
  ADDRESS_WORDS,
  DIRECTIONALS,
  NAME_WORDS,
  PLURAL_SUFFIXES,
  STREET_TYPES,
  SUFFIXES,
} from './usps-abbreviations.js';

/** After these words a number belongs to a road or a place, not to a house. */
const NUMBERED: ReadonlySet<string> = new Set(
  'BOX CALLE CARR CR FM HC HWY INTERSTATE KM MKT PSC RD RR RTE SR'.split(' '),
);

/** Maximum number of words of a street name in the search for its suffix. */
const LONGEST_NAME = 6;

/** Street suffixes whose name may be a single letter. */
const LETTERED: ReadonlySet<string> = new Set('AVE HWY RD RTE ST'.split(' '));

/** Short forms of directionals that are longer than a letter, as the name of a street. */
const STREET_NAMES: ReadonlyMap<string, string> = new Map([
  ['NO', 'NORTH'],
  ['SO', 'SOUTH'],
]);

const ORDINAL = /^\d+(?:ST|ND|RD|TH)$/;

/**
 * Abbreviates suffixes and directionals and writes house numbers and numbered streets uniformly.
 *
 * A directional that is the street's own name stays: North Ave is not N Ave. Boundaries stay.
 */
export function normaliseStreet(words: readonly string[]): string[] {
  return joinDirectionals(addOrdinals(joinHouseNumbers(joinKing(joinNames(joinHouse(words)))))).flatMap(
    (word) => (word === BOUNDARY ? [word] : word.split('-')),
  );
}

/** `12, Main St` is `12 Main St`. */
function joinHouse(words: readonly string[]): readonly string[] {
  const [house = '', boundary = '', street = ''] = words;
  const isApart = /^\d/.test(house) && boundary === BOUNDARY && /^\p{L}/u.test(street);
  return isApart ? [house, ...words.slice(2)] : words;
}

/** `J F Kennedy` is `JF KENNEDY`, `Mc Kinley` is `MCKINLEY`, `O Brien` is `OBRIEN`. */
function joinNames(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const previous = joined.at(-1) ?? '';
    const isInitials = isInitial(words[index - 1] ?? '') && isInitial(word);
    const isName = /^\p{L}{3,}$/u.test(word) && !isStreetWord(word);
    const mayBeLetteredStreet = SUFFIXES.has(joined.at(-2) ?? '') && isHouseNumber(joined, joined.length - 3);
    const isSplitName = previous === 'MC' || (previous === 'O' && !mayBeLetteredStreet);
    if (isInitials || (isName && isSplitName)) joined.splice(-1, 1, previous + word);
    else joined.push(word);
  }
  return joined;
}

/** `MARTIN LUTHER KING` and `ML KING` are `MLK`. With `DR` or `JR` it stays another street, since they may differ. */
function joinKing(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const [beforeLast, last] = joined.slice(-2);
    if (word === 'KING' && beforeLast === 'MARTIN' && last === 'LUTHER') joined.splice(-2, 2, 'MLK');
    else if (word === 'KING' && last === 'ML') joined.splice(-1, 1, 'MLK');
    else joined.push(word);
  }
  return joined;
}

function isInitial(word: string): boolean {
  return /^\p{L}$/u.test(word) && !DIRECTIONALS.has(word);
}

/** `123 A Main St` is `123A MAIN ST`, but `123 A St` is on A Street. `N6 W23001` is `N6W23001`. */
function joinHouseNumbers(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const previous = joined.at(-1) ?? '';
    const next = words[index + 1] ?? BOUNDARY;
    const isHouseLetter =
      isInitial(word) &&
      /^\d+$/.test(previous) &&
      isHouseNumber(joined, joined.length - 1) &&
      /^\p{L}{2}/u.test(next) &&
      !DIRECTIONALS.has(next) &&
      !isStreetName(words, index);
    const isRoad = /^\d{1,3}$/.test(word) && isInitial(previous) && isHouseNumber(joined, joined.length - 2);
    const isGrid = /^[NS]\d+$/.test(previous) && /^[EW]\d+$/.test(word);
    if (isHouseLetter || isRoad || isGrid || (/^[EW]\d+$/.test(previous) && /^[NS]\d+$/.test(word)))
      joined.splice(-1, 1, previous + word);
    else joined.push(word);
  }
  return joined;
}

/** `123 NE 5 St` is `123 NE 5TH ST`. */
function addOrdinals(words: readonly string[]): string[] {
  return words.map((word, index) => {
    if (!/^\d{1,3}$/.test(word) || !STREET_TYPES.has(words[index + 1] ?? '')) return word;
    return isAfterHouse(words, index) ? ordinal(Number(word)) : word;
  });
}

/**
 * Abbreviates each word; `N E` is `NE`.
 *
 * Not after a suffix or a numbered street if more words follow: `Main St N E Troy` may be in East Troy.
 */
function joinDirectionals(words: readonly string[]): string[] {
  const joined: string[] = [];
  let isPreviousDirectional = false;
  for (const [index, word] of words.entries()) {
    const directional = DIRECTIONALS.get(word);
    const isDirectional = directional !== undefined && !isNameOfStreet(words, index);
    const written = isDirectional ? directional : abbreviate(words, index);
    const previous = joined.at(-1) ?? '';
    const beforeLast = joined.at(-2) ?? '';
    const isAfterStreet =
      SUFFIXES.has(beforeLast) || (/^\d/.test(beforeLast) && !isHouseNumber(joined, joined.length - 2));
    const mayBeOfTheCity = isAfterStreet && (words[index + 1] ?? BOUNDARY) !== BOUNDARY;
    if (
      isPreviousDirectional &&
      /^[NS]$/.test(previous) &&
      /^[EW]$/.test(written) &&
      isDirectional &&
      !mayBeOfTheCity
    )
      joined.splice(-1, 1, previous + written);
    else joined.push(written);
    isPreviousDirectional = isDirectional;
  }
  return joined;
}

function abbreviate(words: readonly string[], index: number): string {
  const word = words[index] ?? '';
  const next = words[index + 1] ?? '';
  if (DIRECTIONALS.has(word)) return STREET_NAMES.get(word) ?? word;
  if (NAME_WORDS.has(word) && SUFFIXES.has(next)) return word;
  const suffix = SUFFIXES.get(word);
  if (suffix === undefined) return ADDRESS_WORDS.get(word) ?? word;
  const isPartOfName = STREET_TYPES.has(next) || isBeforeType(words, index) || !isAfterName(words, index);
  return isPartOfName ? suffix : (PLURAL_SUFFIXES.get(suffix) ?? suffix);
}

/** Whether a street name may precede the word: `Oak Trails`, `5th Trails`, but neither `12 Trails` nor `12 N Trails`. */
function isAfterName(words: readonly string[], index: number): boolean {
  const previous = words[index - 1] ?? BOUNDARY;
  if (DIRECTIONALS.has(previous)) return isNameOfStreet(words, index - 1);
  return /^\p{L}/u.test(previous) || ORDINAL.test(previous);
}

/**
 * Whether N, E, S or W, abbreviated or not, is the name of the street: `100 North Ave`, `100 E St`, `100 N East St`, `100 E`.
 *
 * The same holds for the word after an avenue or road without a name: Avenue E is not Avenue East.
 */
function isNameOfStreet(words: readonly string[], index: number): boolean {
  const directional = DIRECTIONALS.get(words[index] ?? '') ?? '';
  if (directional.length !== 1) return false;
  if (LETTERED.has(SUFFIXES.get(words[index - 1] ?? '') ?? '') && isHouseNumber(words, index - 2))
    return true;
  const isAll = index > 0 && (words[index + 1] ?? BOUNDARY) === BOUNDARY;
  return isAfterHouse(words, index) && (isAll || isStreetName(words, index));
}

/**
 * Whether the next word is the suffix of the street and this one its name.
 *
 * Not for `East Court St` and `East Circle Park Rd`, where the street's suffix comes later, nor `East St Johns Ave`, where the
 * next word is a saint, nor `East Avenue K`. No street is a single letter with a suffix such as Park or Hills: East Park is E
 * Park.
 */
function isStreetName(words: readonly string[], index: number): boolean {
  const [next = '', afterIt = ''] = words.slice(index + 1, index + 3);
  if (!STREET_TYPES.has(next) || isInitial(afterIt) || /^\d/.test(afterIt)) return false;
  return DIRECTIONALS.has(afterIt) || !isBeforeType(words, index + 1);
}

/**
 * Whether a street suffix follows the word in its part of the address.
 *
 * `St` before another word is a saint, except after a court, as in `Court St Troy`.
 */
function isBeforeType(words: readonly string[], index: number): boolean {
  const later = words.slice(index + 1, index + 1 + LONGEST_NAME);
  const end = later.indexOf(BOUNDARY);
  return (end === -1 ? later : later.slice(0, end)).some((word, place, part) => {
    const next = part[place + 1];
    const isLast = next === undefined || DIRECTIONALS.has(next);
    return STREET_TYPES.has(word) && (word !== 'ST' || isLast || SUFFIXES.get(words[index] ?? '') === 'CT');
  });
}

/** Whether the word follows a house number, with at most a directional of one or two words between them. */
function isAfterHouse(words: readonly string[], index: number): boolean {
  const directionals = words
    .slice(Math.max(0, index - 2), index)
    .reverse()
    .findIndex((word) => !DIRECTIONALS.has(word));
  return isHouseNumber(words, index - 1 - (directionals === -1 ? 2 : directionals));
}

/** Whether the word is a house number, or the second part of one, and not the number of a road or a coordinate. */
function isHouseNumber(words: readonly string[], index: number): boolean {
  const word = words[index] ?? '';
  if (!/^[NESW]?\d/.test(word) || ORDINAL.test(word)) return false;
  const previous = words[index - 1] ?? BOUNDARY;
  return !DIRECTIONALS.has(previous) && !NUMBERED.has(SUFFIXES.get(previous) ?? previous);
}

function isStreetWord(word: string): boolean {
  return SUFFIXES.has(word) || DIRECTIONALS.has(word);
}
