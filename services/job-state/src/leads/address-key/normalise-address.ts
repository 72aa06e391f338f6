import { createHash } from 'node:crypto';
import { BOUNDARY, foldText } from './fold-text.js';
import {
  DIRECTIONALS,
  NAME_WORDS,
  NAMES,
  PLURAL_SUFFIXES,
  STATES,
  STREET_TYPES,
  SUFFIXES,
  UNIT_DESIGNATORS,
} from './usps-abbreviations.js';

/** Maximum size of a key in UTF-8 bytes. An index of the database takes entries of about 2,700. */
const MAX_KEY_BYTES = 2_000;

/** Units of one kind: the numbers of apartments, units and number signs do not repeat in a house. */
const DOORS: ReadonlySet<string> = new Set(['APT', 'UNIT', '#']);

const STATE = [...STATES.keys()].sort((one, other) => other.length - one.length).join('|');
const COUNTRY = / (?:, )?(?:UNITED STATES(?: OF AMERICA)?|USA?)$/;
const STATE_AT_END = new RegExp(` (?:, )?(${STATE})(?: (?:, )?(\\d{5})(?:[- ]?\\d{4})?)?$`);
const UNIT = new RegExp(
  `(?<= |^)(#|${[...UNIT_DESIGNATORS.keys()].join('|')})(?: #| NO)? ((?=[^ ]*\\d)[^ ,]+|\\p{L})(?= |$)`,
  'gu',
);

const TENS = 'TWENTY THIRTY FORTY FIFTY SIXTY SEVENTY EIGHTY NINETY'.split(' ');
const ORDINALS: ReadonlyMap<string, number> = new Map([
  ...'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH'
    .split(' ')
    .flatMap((word, index): [string, number][] => [
      [word, index + 1],
      ...TENS.map((tens, ten): [string, number] => [`${tens} ${word}`, 10 * (ten + 2) + index + 1]),
    ]),
  ...'TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH'
    .split(' ')
    .map((word, index): [string, number] => [word, index + 10]),
  ...TENS.map((tens, ten): [string, number] => [tens.replace(/Y$/, 'IETH'), 10 * (ten + 2)]),
]);
const TYPES = [...SUFFIXES].flatMap(([written, suffix]) => (STREET_TYPES.has(suffix) ? [written] : []));
/** The name of a numbered street, after a house number or a directional. */
const NUMBERED_STREET = new RegExp(
  `(?<= )(?:(\\d+)(?:ST|ND|RD|TH)|(${[...ORDINALS.keys()].join('|')}))(?= (?:${TYPES.join('|')})(?: |$))`,
  'g',
);

/**
 * Returns the key that de-duplicates leads of one company: spellings of one US address have one key [LEAD-5].
 *
 * It is pure, takes time linear in the length, and never returns an empty key for a text that is not empty. A key has at most
 * 2,000 bytes; a longer one is replaced by its hash. The ZIP is its last word.
 *
 * If two readings are possible, the addresses stay apart: a person can merge a duplicate lead, but a customer who was merged
 * into another one is lost. So a part that only one of two addresses has makes them different, and numbers in words, boxes,
 * rural routes and numbered roads equal only the same words, but for the number of a street: `42 St` is `Forty-Second St`. It merges `Main St N, Troy` and `Main St, N Troy` of one ZIP.
 *
 * Keys are stored: after a change of the rules, earlier leads are no longer found.
 */
export function normaliseAddress(address: string): string {
  const text = foldText(address).join(' ').replace(COUNTRY, '');
  const [end, state = '', zip = ''] = STATE_AT_END.exec(text) ?? [''];
  const units: Unit[] = [];
  const street = text
    .slice(0, text.length - end.length)
    .replace(/(?<= |^)(?:M ?L ?K|M ?L KING|MARTIN LUTHER KING)(?= |$)/g, 'MLK')
    .replace(
      NUMBERED_STREET,
      (_, figures: string | undefined, ordinal: string) => figures ?? String(ORDINALS.get(ordinal)),
    )
    .replace(UNIT, (_, designator: string, number: string) => {
      units.push({ designator: UNIT_DESIGNATORS.get(designator) ?? designator, number });
      return '';
    });
  const words = markSides(unifyWords(trimBoundaries(street)), zip !== '' || /\d{5}$/.test(street));
  const key = [...writeUnits(units), ...words, STATES.get(state) ?? '', zip].filter((word) => word !== '');
  return boundKey(key.length === 0 ? signsOnly(address) : key.join(' '));
}

interface Unit {
  readonly designator: string;
  readonly number: string;
}

/** The units in one order. One door has one name; two doors of one address keep theirs. */
function writeUnits(units: readonly Unit[]): string[] {
  const hasOneDoor = units.filter(({ designator }) => DOORS.has(designator)).length === 1;
  const written = units.map(
    ({ designator, number }) => `${hasOneDoor && DOORS.has(designator) ? 'UNIT' : designator} ${number}`,
  );
  return written.length === 0 ? [] : [...written.sort(), BOUNDARY];
}

/** `12, Main St` is `12 Main St`. */
function trimBoundaries(street: string): string[] {
  const words = street.split(' ').filter((word) => word !== '');
  const isRepeated = (index: number) => words[index] === BOUNDARY && words[index - 1] === BOUNDARY;
  const kept = words.filter((_, index) => !isRepeated(index));
  if (kept[0] === BOUNDARY) kept.shift();
  if (kept.at(-1) === BOUNDARY) kept.pop();
  return /^\d/.test(kept[0] ?? '') && kept[1] === BOUNDARY ? [kept[0] ?? '', ...kept.slice(2)] : kept;
}

function unifyWords(words: readonly string[]): string[] {
  const isEnd = (index: number) => (words[index] ?? BOUNDARY) === BOUNDARY;
  const isType = (index: number) => STREET_TYPES.has(SUFFIXES.get(words[index] ?? '') ?? '');
  const isSuffix = (index: number) => SUFFIXES.has(words[index] ?? '');
  /** The name of a street: North Ave is not N Ave, Avenue East is not Avenue E. */
  const isName = (index: number) =>
    (isType(index + 1) && !(isSuffix(index + 2) && isEnd(index + 3))) ||
    (index === 2 && isType(1)) ||
    (index === 1 && isEnd(2));
  const unify = (word: string, index: number) => {
    const suffix = NAME_WORDS.has(word) && isSuffix(index + 1) ? word : (SUFFIXES.get(word) ?? word);
    if (suffix !== word || SUFFIXES.has(word))
      return isSuffix(index + 1) ? suffix : (PLURAL_SUFFIXES.get(suffix) ?? suffix);
    if (DIRECTIONALS.has(word)) return isName(index) ? word : (DIRECTIONALS.get(word) ?? word);
    return NAMES.get(word) ?? UNIT_DESIGNATORS.get(word) ?? word;
  };
  return words.map(unify).reduce<string[]>((unified, word, index) => {
    const both = `${unified.at(-1) ?? ''}${word}`;
    const isPair = /^[NS]$/.test(unified.at(-1) ?? '') && /^[EW]$/.test(word) && !isName(index);
    // `Main St N E Troy` may be East Troy.
    if (isPair && (index === 2 || isEnd(index + 1))) return [...unified.slice(0, -1), both];
    unified.push(word);
    return unified;
  }, []);
}

/**
 * Drops the boundaries, apart from those that change the meaning.
 *
 * One stays after a street that is a lone directional (`12 East, Troy`). Without a ZIP, one stays that assigns N, E, S or W to
 * a side: `Main St N, Troy` is not `Main St, N Troy`.
 */
function markSides(words: readonly string[], hasZip: boolean): string[] {
  const isLone = (word: string | undefined) => /^[NESW]$/.test(word ?? '');
  return words.filter((word, index) => {
    if (word !== BOUNDARY || (index === 2 && DIRECTIONALS.has(words[1] ?? ''))) return true;
    return !hasZip && (isLone(words[index - 1]) || isLone(words[index + 1]));
  });
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
