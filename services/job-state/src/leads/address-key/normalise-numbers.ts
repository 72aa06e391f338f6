import { DIRECTIONALS, STREET_TYPES } from './usps-abbreviations.js';

const ONES =
  'ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE THIRTEEN FOURTEEN FIFTEEN SIXTEEN SEVENTEEN EIGHTEEN NINETEEN';
const ONES_ORDINAL =
  'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH ' +
  'SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH';
const TENS = 'TWENTY THIRTY FORTY FIFTY SIXTY SEVENTY EIGHTY NINETY';
const TENS_ORDINAL = 'TWENTIETH THIRTIETH FORTIETH FIFTIETH SIXTIETH SEVENTIETH EIGHTIETH NINETIETH';

/** A number in words: its word count, its value, and whether it is an ordinal. */
interface NumberPhrase {
  readonly length: number;
  readonly value: number;
  readonly isOrdinal: boolean;
}

const CARDINALS = valuesOf(ONES, TENS);
const ORDINALS = valuesOf(ONES_ORDINAL, TENS_ORDINAL);

/**
 * Writes numbers in figures: `First` is `1ST`, `One Hundred Twenty-Fifth` is `125TH`, `Seven Mile` is `7 MILE`.
 *
 * A number that is the whole name of a street stays: Two St is not 2nd St.
 */
export function normaliseNumbers(words: readonly string[]): string[] {
  const written: string[] = [];
  for (let index = 0; index < words.length;) {
    const phrase = hundredAt(words, index) ?? belowHundredAt(words, index);
    if (phrase !== undefined && !isNameOfStreet(words, index, phrase)) {
      written.push(phrase.isOrdinal ? ordinal(phrase.value) : String(phrase.value));
      index += phrase.length;
      continue;
    }
    const word = words[index] ?? '';
    const previous = written.at(-1) ?? '';
    if (word === 'TH' && /^\d+$/.test(previous)) written.splice(-1, 1, previous + word);
    else written.push(word);
    index += 1;
  }
  return written;
}

function hundredAt(words: readonly string[], index: number): NumberPhrase | undefined {
  const hundreds = CARDINALS.get(words[index] ?? '') ?? 0;
  if (hundreds < 1 || hundreds > 9) return undefined;
  const word = words[index + 1];
  if (word === 'HUNDREDTH') return { length: 2, value: 100 * hundreds, isOrdinal: true };
  if (word !== 'HUNDRED') return undefined;
  const skipped = words[index + 2] === 'AND' ? 3 : 2;
  const rest = belowHundredAt(words, index + skipped);
  if (rest === undefined) return { length: 2, value: 100 * hundreds, isOrdinal: false };
  return { ...rest, length: skipped + rest.length, value: 100 * hundreds + rest.value };
}

function belowHundredAt(words: readonly string[], index: number): NumberPhrase | undefined {
  const [first = '', second = ''] = words.slice(index, index + 2);
  const ordinalValue = ORDINALS.get(first);
  if (ordinalValue !== undefined) return { length: 1, value: ordinalValue, isOrdinal: true };
  const value = CARDINALS.get(first);
  if (value === undefined) return undefined;
  const ones = CARDINALS.get(second) ?? ORDINALS.get(second) ?? 0;
  if (value < 20 || ones < 1 || ones > 9) return { length: 1, value, isOrdinal: false };
  return { length: 2, value: value + ones, isOrdinal: ORDINALS.has(second) };
}

function isNameOfStreet(words: readonly string[], index: number, phrase: NumberPhrase): boolean {
  const previous = words[index - 1] ?? '';
  const type = words[index + phrase.length] ?? '';
  return (
    !phrase.isOrdinal && STREET_TYPES.has(type) && (/^[NESW]?\d/.test(previous) || DIRECTIONALS.has(previous))
  );
}

/** The ordinal of a whole number, in figures and two letters: `21ST`. */
export function ordinal(value: number): string {
  const isTeen = value % 100 >= 11 && value % 100 <= 13;
  const endings: Readonly<Record<number, string>> = { 1: 'ST', 2: 'ND', 3: 'RD' };
  return `${value}${(isTeen ? undefined : endings[value % 10]) ?? 'TH'}`;
}

function valuesOf(ones: string, tens: string): ReadonlyMap<string, number> {
  return new Map([
    ...ones.split(' ').map((word, index) => [word, index + 1] as const),
    ...tens.split(' ').map((word, index) => [word, 10 * (index + 2)] as const),
  ]);
}
