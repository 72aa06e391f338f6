import { BOUNDARY, trimBoundaries } from './normalise-text.js';
import { STREET_TYPES, SUFFIXES, UNIT_DESIGNATORS } from './usps-abbreviations.js';
import { MOST_STATE_WORDS, STATES } from './usps-states.js';

/** An address split at its end: the text before the state, the state's code, and the five-digit ZIP. */
export interface AddressTail {
  readonly rest: readonly string[];
  readonly state?: string;
  readonly zip?: string;
}

const COUNTRIES: readonly (readonly string[])[] = [
  ['UNITED', 'STATES', 'OF', 'AMERICA'],
  ['UNITED', 'STATES'],
  ['U', 'S', 'A'],
  ['U', 'S'],
  ['USA'],
  ['US'],
];

/** Words after which figures are their number and not a ZIP. */
const NUMBERED: ReadonlySet<string> = new Set([
  ...UNIT_DESIGNATORS.keys(),
  ...'# BOX BX CALLER CMR CR DRAWER FM H HC HCR HIGHWAY HWY I IH INTERSTATE KM NO NUMBER PSC RM ROUTE RR RT RTE SH SR US'.split(
    ' ',
  ),
]);

/** A numbered road of a county, state, township or ranch. */
const NUMBERED_ROAD = /^(?:CO|CNTY|COUNTY|CTY|MARKET|PRIVATE|PVT|RANCH|STATE|TOWNSHIP|TWP)$/;

/**
 * Removes country, ZIP and state from the end, also if a unit follows them.
 *
 * The country is dropped, ZIP+4 is cut to ZIP, and the state is its code.
 *
 * Figures at the end are a ZIP after a state. Without a state they are a ZIP if the address has another number and the word
 * before them takes no number: numbers of a box, a unit or a road stay.
 */
export function normaliseTail(words: readonly string[]): AddressTail {
  const address = dropCountry(trimBoundaries(moveUnitFromEnd(dropCountry(trimBoundaries(words)))));
  const found = zipAtEnd(address);
  if (found !== undefined) {
    const before = trimBoundaries(found.before);
    const located = stateAtEnd(before, found.zip) ?? stateAtEnd(dropCountry(before), found.zip);
    if (located !== undefined) return { ...located, zip: found.zip };
    if (isZipWithoutState(before)) return { rest: before, zip: found.zip };
  }
  return stateAtEnd(address, undefined) ?? { rest: address };
}

/** `12 Elm St, Reno, NV 89501 Apt 4` is `Apt 4, 12 Elm St, Reno, NV 89501`. */
function moveUnitFromEnd(words: readonly string[]): readonly string[] {
  const start = words.findLastIndex((word, index) => {
    const previous = words[index - (words[index - 1] === BOUNDARY ? 2 : 1)] ?? '';
    const isFloor =
      /^\d+(?:ST|ND|RD|TH)$/.test(word) && UNIT_DESIGNATORS.get(words[index + 1] ?? '') === 'FL';
    return (word === '#' || isFloor || UNIT_DESIGNATORS.has(word)) && /\d{4}$/.test(previous);
  });
  if (start === -1) return words;
  const before = trimBoundaries(words.slice(0, start));
  const found = zipAtEnd(before);
  const isLocated = found !== undefined && stateAtEnd(trimBoundaries(found.before), found.zip) !== undefined;
  return isLocated ? [...words.slice(start), BOUNDARY, ...before] : words;
}

function dropCountry(words: readonly string[]): readonly string[] {
  const country = COUNTRIES.find((name) => words.length > name.length && endsWith(words, name));
  return country === undefined ? words : trimBoundaries(words.slice(0, -country.length));
}

function zipAtEnd(
  words: readonly string[],
): { readonly before: readonly string[]; readonly zip: string } | undefined {
  const last = words.at(-1) ?? '';
  const glued = /^(\p{L}+)(\d{5})(?:-?\d{4})?$/u.exec(last);
  if (glued?.[1] !== undefined && glued[2] !== undefined && STATES.has(glued[1]))
    return { before: [...words.slice(0, -1), glued[1]], zip: glued[2] };
  const isSplit = /^\d{4}$/.test(last) && /^\d{5}$/.test(words.at(-2) ?? '');
  if (!isSplit && !/^\d{5}(?:-?\d{4})?$/.test(last)) return undefined;
  const zip = (isSplit ? words.at(-2) : last)?.slice(0, 5) ?? '';
  return { before: words.slice(0, isSplit ? -2 : -1), zip };
}

function stateAtEnd(
  address: readonly string[],
  zip: string | undefined,
): { readonly rest: readonly string[]; readonly state: string } | undefined {
  for (let length = Math.min(MOST_STATE_WORDS, address.length - 1); length > 0; length -= 1) {
    const written = address.slice(-length).join(' ');
    const state = STATES.get(written);
    if (state === undefined) continue;
    const before = address.slice(0, -length);
    if (written === state && isStreetOrFloor(before, state, zip)) return undefined;
    const rest = trimBoundaries(before);
    return rest.length === 0 ? undefined : { rest: nameCity(rest, state), state };
  }
  return undefined;
}

/**
 * Whether the code is a street suffix or a floor instead of a state.
 *
 * `12 East Ct` is a court, `12 Oak Wy` a way and `2nd Fl` a floor: these codes are states only after more of an address. A code
 * that equals its own suffix abbreviation reads the same either way.
 */
function isStreetOrFloor(before: readonly string[], code: string, zip: string | undefined): boolean {
  const previous = before.at(-1) ?? '';
  if (code === 'FL') return /^\d+(?:ST|ND|RD|TH)$/.test(previous) && !(zip ?? '').startsWith('3');
  if (code === 'WY') return before.length <= 2 && previous !== BOUNDARY;
  const hasStreetType = before.some((word) => STREET_TYPES.has(word));
  return SUFFIXES.has(code) && previous !== BOUNDARY && !hasStreetType;
}

/** The city of New York may be written `New York, NY`, `NY NY` or `NYC`. */
function nameCity(rest: readonly string[], state: string): readonly string[] {
  if (state !== 'NY') return rest;
  const city = [['NEW', 'YORK', 'CITY'], ['NYC'], ['NY']].find((name) => endsWith(rest, name));
  return city === undefined ? rest : [...rest.slice(0, -city.length), 'NEW', 'YORK'];
}

function isZipWithoutState(before: readonly string[]): boolean {
  const last = before.at(-1) ?? '';
  const isRoad = /^(?:ROAD|RD)$/.test(last) && NUMBERED_ROAD.test(before.at(-2) ?? '');
  return (
    before.some((word) => /^\d/.test(word)) && /^\p{L}{2,}$/u.test(last) && !NUMBERED.has(last) && !isRoad
  );
}

function endsWith(words: readonly string[], end: readonly string[]): boolean {
  return (
    words.length >= end.length &&
    end.every((word, index) => words[words.length - end.length + index] === word)
  );
}
