import { BOUNDARY, trimBoundaries } from './normalise-text.js';
import { DIRECTIONALS, STREET_TYPES, SUFFIXES, UNIT_DESIGNATORS } from './usps-abbreviations.js';

/** The units of an address, each with its designator, and the other words. */
export interface AddressUnits {
  readonly units: readonly string[];
  readonly rest: readonly string[];
}

/** Spellings of the same door. A suite is not among them: a house may have a suite 4 and an apartment 4. */
const DOORS: ReadonlySet<string> = new Set(['#', 'APT', 'UNIT']);

const MAY_HAVE_LETTER: ReadonlySet<string> = new Set(
  '# APT BLDG DEPT HNGR LOT PH PMB RM SPC STE TRLR TWR UNIT'.split(' '),
);
const MAY_HAVE_NUMBER: ReadonlySet<string> = new Set([
  ...MAY_HAVE_LETTER,
  ...'FL KEY OFC PIER SLIP STOP'.split(' '),
]);

const ORDINAL = /^(\d+)(?:ST|ND|RD|TH)$/;

/** A designator with its number, and their number of words. */
interface Unit {
  readonly designator: string;
  readonly number: string;
  readonly length: number;
}

/** Splits a designator from its number: `APT4B` is `APT 4B`. */
export function splitGluedUnits(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, designator = '', number = ''] = /^(\p{L}{2,})(\d+(?:-\d+)?\p{L}?)$/u.exec(word) ?? [];
    return MAY_HAVE_NUMBER.has(UNIT_DESIGNATORS.get(designator) ?? '') ? [designator, number] : [word];
  });
}

/**
 * Extracts the numbered units from the words and leaves a boundary for each.
 *
 * So units may appear anywhere and in any order: `Apt 4, 12 Elm St` is `12 Elm St Apt 4`, and `Ste 200 Bldg 4` is `Bldg 4 Ste
 * 200`. The number is one word: `4-B` and `4 B` are `4B`.
 *
 * Apartment, unit and the number sign name the same door, unless an address has two of them (`Unit 4 Apt 5`): then each keeps
 * its designator. All other designators differ: building 4, suite 4, floor 4, lot 4 and apartment 4 are five units.
 */
export function normaliseUnits(words: readonly string[]): AddressUnits {
  const queue = dropSignOfHouse(words);
  const units: Unit[] = [];
  const rest: string[] = [];
  let isLeading = true;
  for (let index = 0; index < queue.length;) {
    // `12 No 7 Mile Rd`
    const isAfterHouse = /^[NESW]?\d/.test(rest.at(-1) ?? '') && /^(?:,|\d+)$/.test(rest.at(-2) ?? BOUNDARY);
    const isNorth = isAfterHouse && queue[index] === 'NO';
    const unit = isNorth ? undefined : unitAt(queue, index, isLeading);
    if (unit === undefined) {
      const word = queue[index] ?? '';
      rest.push(word);
      isLeading &&= word === BOUNDARY;
      index += 1;
    } else {
      units.push(unit);
      rest.push(BOUNDARY);
      index += unit.length;
    }
  }
  return { units: writeUnits(units), rest: trimBoundaries(collapseBoundaries(rest)).map(writeDesignator) };
}

/** `#12 Main St` is the house 12. Not `#4, 12 Main St` and not `#4 12 Main St`. */
function dropSignOfHouse(words: readonly string[]): readonly string[] {
  const [sign = '', number = '', street = ''] = words;
  return isSign(sign) && /^\d/.test(number) && /^\p{L}{2}/u.test(street) && !UNIT_DESIGNATORS.has(street)
    ? words.slice(1)
    : words;
}

function unitAt(words: readonly string[], index: number, isLeading: boolean): Unit | undefined {
  const word = words[index] ?? '';
  const floor = ORDINAL.exec(word)?.[1];
  if (floor !== undefined && UNIT_DESIGNATORS.get(words[index + 1] ?? '') === 'FL')
    return { designator: 'FL', number: floor, length: 2 };

  const next = words[index + 1] ?? '';
  // `No` may be North.
  if (word === '#' || (isSign(word) && /^\d/.test(next)))
    return numberedUnit('#', words, index + 1, isLeading);
  const designator = UNIT_DESIGNATORS.get(word);
  if (designator === undefined || !MAY_HAVE_NUMBER.has(designator)) return undefined;
  // An apartment that is a penthouse is a penthouse.
  if (DOORS.has(designator) && UNIT_DESIGNATORS.get(next) === 'PH') {
    const penthouse = unitAt(words, index + 1, isLeading);
    if (penthouse !== undefined) return { ...penthouse, length: penthouse.length + 1 };
  }
  return numberedUnit(designator, words, index + 1, isLeading);
}

/** Returns the unit whose number is at the position, after at most a number sign or, if it is all of its part, a boundary. */
function numberedUnit(
  designator: string,
  words: readonly string[],
  position: number,
  isLeading: boolean,
): Unit | undefined {
  const isApart = words[position] === BOUNDARY && (words[position + 2] ?? BOUNDARY) === BOUNDARY;
  let start = position + (isApart ? 1 : 0);
  // `Apt No. #4`
  for (let signs = 0; signs < 2 && isSign(words[start] ?? ''); signs += 1) start += 1;
  const number = unitNumberAt(designator, words, start, isLeading);
  if (number === undefined || (isApart && !/\d/.test(number.text))) return undefined;
  return { designator, number: number.text, length: start + number.length - position + 1 };
}

function unitNumberAt(
  designator: string,
  words: readonly string[],
  start: number,
  isLeading: boolean,
): { readonly text: string; readonly length: number } | undefined {
  const [first = '', second = '', third = BOUNDARY] = words.slice(start, start + 3);
  const floor = designator === 'FL' ? ORDINAL.exec(first)?.[1] : undefined;
  if (floor !== undefined) return { text: floor, length: 1 };
  if (isSplitNumber(first, second, third, isLeading)) return { text: first + second, length: 2 };
  const isNumber = /\d/.test(first) && !ORDINAL.test(first);
  const isEnd = second === '' || second === BOUNDARY;
  const isShort = /^\p{L}$/u.test(first) || (isEnd && (/^\p{L}{2}$/u.test(first) || DIRECTIONALS.has(first)));
  // A penthouse needs no number: the following words may belong to the city.
  const isLetter = MAY_HAVE_LETTER.has(designator) && (isEnd || designator !== 'PH') && isShort;
  return isNumber || isLetter ? { text: first, length: 1 } : undefined;
}

/**
 * Whether a number and a letter are one unit number: `4 B`.
 *
 * Not `5 E Lansing`, where the letter may belong to the city, and not `Apt B 4 Main St`, where the number is the house number.
 */
function isSplitNumber(first: string, second: string, third: string, isLeading: boolean): boolean {
  if (/^\p{L}$/u.test(first)) return /^\d+$/.test(second) && (!isLeading || /^\d+$/.test(third));
  const isStreet = STREET_TYPES.has(third);
  return (
    /^\d+$/.test(first) &&
    /^\p{L}$/u.test(second) &&
    !isStreet &&
    (!DIRECTIONALS.has(second) || third === BOUNDARY)
  );
}

function isSign(word: string): boolean {
  return word === '#' || word === 'NO' || word === 'NUMBER';
}

function writeUnits(units: readonly Unit[]): string[] {
  const hasOneDoor = units.filter(({ designator }) => DOORS.has(designator)).length === 1;
  return units
    .map(({ designator, number }) => ({
      designator: hasOneDoor && DOORS.has(designator) ? 'UNIT' : designator,
      number,
    }))
    .sort((one, other) =>
      one.designator < other.designator ? -1 : one.designator > other.designator ? 1 : 0,
    )
    .map(({ designator, number }) => `${designator} ${number}`);
}

/** A designator without a number; some are street suffixes too. */
function writeDesignator(word: string): string {
  const designator = UNIT_DESIGNATORS.get(word);
  if (designator === undefined || SUFFIXES.has(word)) return word;
  return DOORS.has(designator) ? 'UNIT' : designator;
}

function collapseBoundaries(words: readonly string[]): string[] {
  return words.filter((word, index) => word !== BOUNDARY || words[index - 1] !== BOUNDARY);
}
