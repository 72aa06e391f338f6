import { DIRECTIONALS, STATES, SUFFIXES, UNIT_DESIGNATORS } from './usps-abbreviations.js';

const COUNTRY = [
  ['UNITED', 'STATES', 'OF', 'AMERICA'],
  ['UNITED', 'STATES'],
  ['USA'],
  ['US'],
  ['U', 'S', 'A'],
  ['U', 'S'],
];

/**
 * The key by which leads of one company are de-duplicated (spec: Inbound, rule): two ways to write one address in the United
 * States give the same text. Folds Unicode compatibility forms, Latin accents, case, punctuation and spaces; unifies street
 * suffixes, directionals and unit designators (USPS Publication 28) and state names; cuts ZIP+4 to ZIP.
 *
 * Where two readings are possible it keeps them apart: a lead too many is seen and merged by a person, a customer who was
 * merged into another one is lost.
 */
export function normaliseAddress(address: string): string {
  const words = foldText(address);
  const { rest, tail } = splitTail(words);
  const key = [...unifyWords(rest), ...tail].join(' ');
  // An address without a letter or digit equals only itself.
  return key === '' ? address.normalize('NFKC').trim() : key;
}

/** Folds characters and gives the words: letters and digits, fractions such as `1/2`, and the number sign. */
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
      .replace(/(?<!\p{N})(\d{5})\s*-\s*\d{4}(?!\p{N})/gu, '$1')
      // Initials are one word, with or without their dots: N.E. and NE.
      .replace(/(?<!\p{L})(\p{L})\.(?=\p{L}(?!\p{L}))/gu, '$1')
      // 12-A is 12A, and B-4 is B4.
      .replace(/(\d)-(\p{L})(?![\p{L}\p{N}])/gu, '$1$2')
      .replace(/(?<![\p{L}\p{N}])(\p{L})-(\d)/gu, '$1$2')
      .replace(/[^\p{L}\p{M}\p{N}#/]|\/(?!\d)|(?<!\d)\//gu, ' ')
      .split(' ')
      .filter((word) => word !== '')
  );
}

/** Takes country, ZIP and state off the end; the country is dropped, the state is its code. */
function splitTail(words: readonly string[]): {
  readonly rest: readonly string[];
  readonly tail: readonly string[];
} {
  let rest = [...words];
  const tail: string[] = [];
  const country = COUNTRY.find((name) => endsWith(rest, name));
  if (country !== undefined) rest = rest.slice(0, -country.length);

  const zip = /^(\d{5})(\d{4})?$/.exec(rest.at(-1) ?? '')?.[1];
  if (zip !== undefined && rest.length > 1) {
    rest = rest.slice(0, -1);
    tail.unshift(zip);
  }
  const state = STATES.find(({ words: name, code }) => endsWith(rest, name) || endsWith(rest, [code]));
  if (state !== undefined) {
    const length = endsWith(rest, state.words) ? state.words.length : 1;
    if (rest.length > length) {
      rest = rest.slice(0, -length);
      tail.unshift(state.code);
    }
  }
  return { rest, tail };
}

function endsWith(words: readonly string[], end: readonly string[]): boolean {
  return (
    words.length >= end.length &&
    end.every((word, index) => words[words.length - end.length + index] === word)
  );
}

/** Unifies the words before the state: boxes, units, directionals and suffixes. */
function unifyWords(words: readonly string[]): string[] {
  return joinDirectionals(unifyStreet(unifyUnits(unifyBoxes(words))));
}

/** `P.O. Box`, `Post Office Box` and `POB` are `PO BOX`; `Rural Route` is `RR`. */
function unifyBoxes(words: readonly string[]): string[] {
  return words
    .join(' ')
    .replace(/\b(?:POST OFFICE|P O|PO) BOX\b|\bPOB\b/g, 'PO BOX')
    .replace(/\bRURAL (?:ROUTE|RTE)\b/g, 'RR')
    .split(' ')
    .filter((word) => word !== '');
}

/** A unit is its standard designator, then its number in one word: `Apt. #4-B`, `APT4B` and `# 4 B` are `UNIT 4B`. */
function unifyUnits(words: readonly string[]): string[] {
  const unified: string[] = [];
  const queue = words.flatMap((word) => {
    const glued = /^(APARTMENT|APT|UNIT|SUITE|STE)(\d+\p{L}?)$/u.exec(word);
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
    const [first = '', second = ''] = queue.slice(start, start + 2);
    const isSplit =
      (/^\d+$/.test(first) && /^\p{L}$/u.test(second)) || (/^\p{L}$/u.test(first) && /^\d+$/.test(second));
    if (isSplit) {
      unified.push(first + second);
      index = start + 1;
    }
  }
  return unified;
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

/** `N E` is `NE`. */
function joinDirectionals(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const previous = joined.at(-1) ?? '';
    if (/^[NS]$/.test(previous) && /^[EW]$/.test(word)) joined.splice(-1, 1, previous + word);
    else joined.push(word);
  }
  return joined;
}
