import { DIRECTIONALS, ORDINALS, STATES, SUFFIXES, UNIT_DESIGNATORS } from './usps-abbreviations.js';

const COUNTRY = [
  ['UNITED', 'STATES', 'OF', 'AMERICA'],
  ['UNITED', 'STATES'],
  ['USA'],
  ['US'],
  ['U', 'S', 'A'],
  ['U', 'S'],
];

/** Stands between the words for a comma or an end of line: no two words are joined across it. */
const BOUNDARY = ',';

/**
 * The key by which leads of one company are de-duplicated (spec: Inbound, rule): two ways to write one address in the United
 * States give the same text. Folds Unicode compatibility forms, Latin accents, case, punctuation and spaces; unifies street
 * suffixes, directionals, unit designators, ordinals and boxes (USPS Publication 28) and state names; cuts ZIP+4 to ZIP where
 * it stands after the state at the end.
 *
 * Where two readings are possible it keeps them apart: a lead too many is seen and merged by a person, a customer who was
 * merged into another one is lost.
 */
export function normaliseAddress(address: string): string {
  const { rest, state, zip } = splitTail(foldText(address));
  const words = markSides(unifyWords(rest), zip !== undefined);
  const key = [...words, ...(state === undefined ? [] : [state]), ...(zip === undefined ? [] : [zip])].join(
    ' ',
  );
  // An address without a letter or digit equals only itself.
  return key === '' ? address.normalize('NFKC').trim() : key;
}

/** Folds characters and gives the words: letters and digits, fractions such as `1/2`, the number sign, and boundaries. */
function foldText(address: string): string[] {
  return (
    address
      // Compatibility forms would glue a fraction to the number before it: 12½ is not 121/2.
      .replace(/(\p{N})(?=[¼-¾⅐-⅞])/gu, '$1 ')
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .normalize('NFKC')
      .toUpperCase()
      .replace(/\u2044/g, '/')
      .replace(/[\p{Pd}\u2212]/gu, '-')
      .replace(/['‘’ʼ`´]/g, '')
      .replace(/&/g, ' AND ')
      .replace(/#/g, ' # ')
      // Initials are one word, with or without their dots: N.E. and NE.
      .replace(/(?<!\p{L})(\p{L})\.(?=\p{L}(?!\p{L}))/gu, '$1')
      // 12-A is 12A, and B-4 is B4.
      .replace(/(\d)-(\p{L})(?![\p{L}\p{N}])/gu, '$1$2')
      .replace(/(?<![\p{L}\p{N}])(\p{L})-(\d)/gu, '$1$2')
      .replace(/[,;\n\r\u2028\u2029]/g, ` ${BOUNDARY} `)
      .replace(/[^\p{L}\p{M}\p{N}#/,]|\/(?!\d)|(?<!\d)\//gu, ' ')
      .split(' ')
      .filter((word) => word !== '')
      .filter((word, index, words) => word !== BOUNDARY || words[index - 1] !== BOUNDARY)
  );
}

/**
 * Takes country, ZIP and state off the end; the country is dropped, the state is its code. Figures are a ZIP only after a
 * state: without one they may be the number of a box, a unit or a road.
 */
function splitTail(words: readonly string[]): {
  readonly rest: readonly string[];
  readonly state?: string;
  readonly zip?: string;
} {
  const all = trimBoundaries(words);
  const country = COUNTRY.find((name) => endsWith(all, name));
  const address = country === undefined ? all : trimBoundaries(all.slice(0, -country.length));

  const last = address.at(-1) ?? '';
  const isSplit = /^\d{4}$/.test(last) && /^\d{5}$/.test(address.at(-2) ?? '');
  if (isSplit || /^\d{5}(?:\d{4})?$/.test(last)) {
    const zip = (isSplit ? address.at(-2) : last)?.slice(0, 5);
    const located = splitState(address.slice(0, isSplit ? -2 : -1));
    if (located !== undefined && zip !== undefined) return { ...located, zip };
  }
  return splitState(address) ?? { rest: address };
}

function splitState(
  words: readonly string[],
): { readonly rest: readonly string[]; readonly state: string } | undefined {
  const address = trimBoundaries(words);
  const found = STATES.find(({ words: name, code }) => endsWith(address, name) || endsWith(address, [code]));
  if (found === undefined) return undefined;
  const rest = trimBoundaries(address.slice(0, endsWith(address, found.words) ? -found.words.length : -1));
  return rest.length === 0 ? undefined : { rest, state: found.code };
}

function trimBoundaries(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => word !== BOUNDARY);
  const last = words.findLastIndex((word) => word !== BOUNDARY);
  return first === -1 ? [] : words.slice(first, last + 1);
}

function endsWith(words: readonly string[], end: readonly string[]): boolean {
  return (
    words.length >= end.length &&
    end.every((word, index) => words[words.length - end.length + index] === word)
  );
}

/** Unifies the words before the state: boxes, ordinals, units, suffixes and directionals. */
function unifyWords(words: readonly string[]): string[] {
  return joinDirectionals(unifyStreet(unifyUnits(unifyOrdinals(unifyBoxes(words)))));
}

/** `P.O. Box`, `Post Office Box` and `POB` are `PO BOX`; `Rural Route` and `RFD` are `RR`; their numbers need no sign. */
function unifyBoxes(words: readonly string[]): string[] {
  return words
    .join(' ')
    .replace(/\b(?:POST OFFICE|P O|PO) BOX\b|\bPOB(?:OX)?(?=\d|\b)/g, 'PO BOX')
    .replace(/\bRURAL (?:ROUTE|RTE)\b|\b(?:R R|RFD|RFD ROUTE|RFD RTE)(?= (?:# )?\d)/g, 'RR')
    .replace(/\bHIGHWAY CONTRACT(?: ROUTE| RTE)?\b/g, 'HC')
    .replace(/\bBOX(?=\d)/g, 'BOX ')
    .replace(/\b(BOX|RR|HC) (?:#|NO|NUMBER) (?=\d)/g, '$1 ')
    .split(' ')
    .filter((word) => word !== '');
}

/** `First` is `1ST`, `Twenty-First` is `21ST`. */
function unifyOrdinals(words: readonly string[]): string[] {
  const unified: string[] = [];
  for (const word of words) {
    const compound = ORDINALS.get(`${unified.at(-1) ?? ''} ${word}`);
    if (compound === undefined) unified.push(ORDINALS.get(word) ?? word);
    else unified.splice(-1, 1, compound);
  }
  return unified;
}

/** A unit is its standard designator, then its number in one word: `Apt. #4-B`, `APT4B` and `# 4 B` are `UNIT 4B`. */
function unifyUnits(words: readonly string[]): string[] {
  const unified: string[] = [];
  const queue = words.flatMap((word) => {
    const glued = /^(APARTMENT|APT|UNIT|SUITE|STE|BLDG|RM|LOT)(\d+\p{L}?)$/u.exec(word);
    return glued === null ? [word] : glued.slice(1);
  });
  for (let index = 0; index < queue.length; index += 1) {
    const word = queue[index] ?? '';
    const previous = unified.at(-1) ?? '';
    const designator = UNIT_DESIGNATORS.get(word);
    const isNumberSign = ['#', 'NO', 'NUMBER'].includes(word);
    if (isNumberSign && [...UNIT_DESIGNATORS.values()].includes(previous)) continue;
    if (designator === undefined) {
      unified.push(word);
      continue;
    }
    const floor = /^(\d+)(?:ST|ND|RD|TH)$/.exec(previous)?.[1];
    if (designator === 'FL' && word !== 'FL' && floor !== undefined) {
      unified.splice(-1, 1, 'FL', floor);
      continue;
    }
    unified.push(designator);
    const start = index + 1 + (['#', 'NO', 'NUMBER'].includes(queue[index + 1] ?? '') ? 1 : 0);
    const [first = '', second = '', third = BOUNDARY] = queue.slice(start, start + 3);
    if (isSplitNumber(first, second, third)) {
      unified.push(first + second);
      index = start + 1;
    }
  }
  return unified;
}

/** A number and a letter are one unit number: `4 B`. Not `5 E Lansing`, where the letter may be of the city. */
function isSplitNumber(first: string, second: string, third: string): boolean {
  if (/^\p{L}$/u.test(first)) return /^\d+$/.test(second);
  return /^\d+$/.test(first) && /^\p{L}$/u.test(second) && (!DIRECTIONALS.has(second) || third === BOUNDARY);
}

/** Abbreviates directionals and suffixes. A directional that is the street's own name stays: North Ave is not N Ave. */
function unifyStreet(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const directional = DIRECTIONALS.get(word);
    if (directional !== undefined) {
      const isAfterNumber = /^\d/.test(words[index - 1] ?? '') || DIRECTIONALS.has(words[index - 1] ?? '');
      const isName =
        isAfterNumber && SUFFIXES.has(words[index + 1] ?? '') && !SUFFIXES.has(words[index + 2] ?? '');
      return isName ? word : directional;
    }
    return word === 'SAINT' ? 'ST' : (SUFFIXES.get(word) ?? word);
  });
}

/** `N E` is `NE`. Not after a suffix, where more words follow: `Main St N E Troy` may lie in East Troy. */
function joinDirectionals(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const [beforeLast = '', previous = ''] = ['', ...joined].slice(-2);
    const mayBeOfTheCity = SUFFIXES.has(beforeLast) && (words[index + 1] ?? BOUNDARY) !== BOUNDARY;
    if (/^[NS]$/.test(previous) && /^[EW]$/.test(word) && !mayBeOfTheCity)
      joined.splice(-1, 1, previous + word);
    else joined.push(word);
  }
  return joined;
}

/**
 * Drops the boundaries. Without a ZIP one that tells to which side N, E, S or W belongs stays: `Main St N, Troy` is not
 * `Main St, N Troy`.
 */
function markSides(words: readonly string[], hasZip: boolean): string[] {
  const isLone = (word: string | undefined) => /^[NESW]$/.test(word ?? '');
  return words.filter(
    (word, index) =>
      word !== BOUNDARY || (!hasZip && index > 1 && (isLone(words[index - 1]) || isLone(words[index + 1]))),
  );
}
