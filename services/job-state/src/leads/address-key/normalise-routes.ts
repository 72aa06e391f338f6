import { BOUNDARY } from './normalise-text.js';
import { DIRECTIONALS } from './usps-abbreviations.js';
import { MOST_STATE_WORDS, STATES } from './usps-states.js';

const COUNTY = ['COUNTY', 'CNTY', 'CTY', 'CO'];
const HIGHWAY = ['HIGHWAY', 'HWY', 'HGWY', 'HIGHWY', 'HIWAY', 'HIWY', 'HWAY'];
const ROAD = ['ROAD', 'RD'];
const ROUTE = ['ROUTE', 'RTE', 'RT'];
const STATE = ['STATE', 'ST'];

/**
 * The kinds of numbered roads with their spellings (USPS Publication 28, appendix F).
 *
 * `SR` and `CR` may be a road or a route, so these are one; a highway stays apart.
 */
const ROADS: ReadonlyMap<string, string> = new Map([
  ...written('US HWY', ['US', 'U S', 'UNITED STATES'], ['', ...HIGHWAY, ...ROUTE]),
  ...written('INTERSTATE', ['INTERSTATE'], ['', ...HIGHWAY]),
  ...written('INTERSTATE', ['I', 'IH'], ['']),
  ...written('CR', COUNTY, [...ROAD, ...ROUTE]),
  ...written('CR', ['CR', 'C R'], ['']),
  ...written('COUNTY HWY', COUNTY, HIGHWAY),
  ...written('COUNTY HWY', ['CTH'], ['']),
  ...written('SR', STATE, [...ROAD, ...ROUTE]),
  ...written('SR', ['SR', 'S R'], ['']),
  ...written('STATE HWY', STATE, HIGHWAY),
  ...written('STATE HWY', ['SH', 'S H'], ['']),
  ...written('FM', ['FM', 'F M', 'FARM TO MARKET', 'FARM MARKET'], ['', ...ROAD]),
  ...written('RANCH MKT', ['RM', 'R M', 'RANCH TO MARKET', 'RANCH MKT'], ['', ...ROAD]),
  ...written('RANCH RD', ['RANCH'], ROAD),
  ...written('TWP RD', ['TOWNSHIP', 'TWP'], ROAD),
  ...written('TWP RD', ['TR', 'T R', 'TSR'], ['']),
  ...written('PVT RD', ['PRIVATE', 'PVT'], ROAD),
  ...written('PVT RD', ['PR'], ['']),
  ...written('HWY', HIGHWAY, ['']),
  ...written('RTE', ROUTE, ['']),
]);

const MOST_ROAD_WORDS = Math.max(...[...ROADS.keys()].map((road) => road.split(' ').length));

/** Words allowed between a state's name and the number of its highway. */
const STATE_ROADS: readonly (readonly string[])[] = [
  ...STATE.flatMap((state) => [...HIGHWAY, ...ROUTE, ...ROAD].map((road) => [state, road])),
  ...[...HIGHWAY, ...ROUTE, 'SR', 'SH'].map((road) => [road]),
  [],
];

/** State codes that before a number are a directional, a floor or a private road. */
const NO_ROAD_BY_CODE: ReadonlySet<string> = new Set(['NE', 'FL', 'PR']);

const SIGN = '(?:(?:#|NO|NUMBER) )?';
const NUMBER_FOLLOWS = `(?= ${SIGN}\\d)`;
const NUMBER_AND_BOX_FOLLOW = `(?= ${SIGN}\\d+[A-Z]? (?:, )?BO?X )`;

/**
 * Rewrites post office boxes to `PO BOX`, rural routes and RFD to `RR`, highway contract and star routes to `HC`.
 *
 * Their numbers lose the number sign and leading zeros, except for boxes, where zeros may count.
 */
const BOX_RULES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:POST OFFICE|POSTAL|POST|P O|PO) (?:BOX|BX|DRAWER|LOCKBOX|CALLER)(?=\d|\b)/g, 'PO BOX'],
  [/\b(?:POB(?:OX)?|P O B)(?=\d|\b)/g, 'PO BOX'],
  [
    new RegExp(
      `^(?:FIRM CALLER|LOCK BOX|LOCKBOX|CALLER|DRAWER|BIN|BOX|BX)(?= ?${SIGN}\\d\\S*(?: |$)| [A-Z](?: |$))`,
    ),
    'PO BOX',
  ],
  [/\bRURAL (?:ROUTE|RTE|RT|DELIVERY)\b/g, 'RR'],
  [new RegExp(`\\b(?:R R|R F D|RFD)(?: ROUTE| RTE| RT)?${NUMBER_FOLLOWS}`, 'g'), 'RR'],
  [new RegExp(`(?<=^|, )(?:ROUTE|RTE|RT|R D|RD|R)${NUMBER_AND_BOX_FOLLOW}`, 'g'), 'RR'],
  [/(?<=^|, )(?:RTE|RT|R)(?=\d+[A-Z]? (?:, )?BO?X )/g, 'RR '],
  [/\b(?:HIGHWAY|HWY) CONTRACT(?: ROUTE| RTE| RT)?\b/g, 'HC'],
  [new RegExp(`\\b(?:HCR|H C R|H C)${NUMBER_FOLLOWS}`, 'g'), 'HC'],
  [new RegExp(`\\bSTAR (?:ROUTE|RTE|RT)(?:${NUMBER_FOLLOWS}|(?= BO?X ))`, 'g'), 'HC'],
  [new RegExp(`(?<=^|, )(?:SR|S R)${NUMBER_AND_BOX_FOLLOW}`, 'g'), 'HC'],
  [/\b(?:RR|RFD)(?=\d)/g, 'RR '],
  [/\bHCR?(?=\d)/g, 'HC '],
  [new RegExp(`\\bBO?X(?=\\d| ${SIGN}\\d)`, 'g'), 'BOX '],
  [/\b(BOX|RR|HC|PSC|CMR) +(?:#|NO|NUMBER) (?=\d)/g, '$1 '],
  [/\b(RR|HC) +0+(?=\d)/g, '$1 '],
  [/(?<=^|, )(RR|HC) +(\d+[A-Z]?) (?:, )?# (?=\d)/g, '$1 $2 BOX '],
];

/** Unifies post office boxes, rural and highway contract routes, and the numbered roads of an address. */
export function normaliseRoutes(words: readonly string[]): string[] {
  return normaliseRoads(normaliseBoxes(words));
}

/** `P.O. Box 12`, `Post Office Box 12`, `POB 12`, and `Box 12` at the start are `PO BOX 12`. */
function normaliseBoxes(words: readonly string[]): string[] {
  return BOX_RULES.reduce((text, [pattern, unified]) => text.replace(pattern, unified), words.join(' '))
    .split(' ')
    .filter((word) => word !== '');
}

/** After a house number, `U.S. 1` is `US HWY 1`, `County Road 12` is `CR 12`, and `Texas 71` is `TX HWY 71`. */
function normaliseRoads(words: readonly string[]): string[] {
  const queue = words.flatMap((word, index) => {
    const [, road = '', number = ''] = /^([A-Z]{1,3})(\d{1,4}[A-Z]?)$/.exec(word) ?? [];
    return ROADS.has(road) && isAfterHouse(words, index) ? [road, number] : [word];
  });
  const unified: string[] = [];
  for (let index = 0; index < queue.length;) {
    const road = isAfterHouse(queue, index) ? (roadAt(queue, index) ?? stateRoadAt(queue, index)) : undefined;
    if (road === undefined) {
      unified.push(queue[index] ?? '');
      index += 1;
      continue;
    }
    unified.push(...road.name.split(' '), road.number);
    index += road.length;
    if (/^(?:FM|RANCH MKT)$/.test(road.name) && ROAD.includes(queue[index] ?? '')) index += 1;
  }
  return unified;
}

interface Road {
  readonly name: string;
  readonly number: string;
  readonly length: number;
}

function roadAt(words: readonly string[], index: number): Road | undefined {
  for (let length = MOST_ROAD_WORDS; length > 0; length -= 1) {
    const name = ROADS.get(words.slice(index, index + length).join(' '));
    // At the start of a part it is a room: `Rm 5, 12 Elm St`.
    if (name === undefined || (words[index] === 'RM' && isAtStart(words, index))) continue;
    const number = numberAt(words, index + length, {
      mayBeLetters: name === 'CR' || name === 'COUNTY HWY',
      mayHaveSign: !DIRECTIONALS.has(words[index - 1] ?? '') && !['PR', 'TR'].includes(words[index] ?? ''),
    });
    if (number !== undefined) return { name, number: number.text, length: length + number.length };
  }
  // A rural route has a box. Without one, after a house number, it is a ranch road.
  if (words[index] !== 'RR' || isAtStart(words, index) || !/^\d{3,4}$/.test(words[index + 1] ?? ''))
    return undefined;
  return { name: 'RANCH RD', number: words[index + 1] ?? '', length: 2 };
}

function stateRoadAt(words: readonly string[], index: number): Road | undefined {
  for (let length = MOST_STATE_WORDS; length > 0; length -= 1) {
    const state = STATES.get(words.slice(index, index + length).join(' '));
    if (state === undefined) continue;
    const after = index + length;
    const road =
      STATE_ROADS.find((kind) => kind.every((word, offset) => words[after + offset] === word)) ?? [];
    if (road.length === 0 && NO_ROAD_BY_CODE.has(words[index] ?? '')) continue;
    const number = numberAt(words, after + road.length, {
      mayBeLetters: false,
      mayHaveSign: road.length > 0,
    });
    if (number === undefined) continue;
    return { name: `${state} HWY`, number: number.text, length: length + road.length + number.length };
  }
  return undefined;
}

/**
 * Reads the number of a road: figures with at most one letter (`A1A`). County roads may have a letter or a doubled one instead.
 *
 * A number sign may precede it, unless the sign belongs to a unit as in `12 E Ct #4`.
 */
function numberAt(
  words: readonly string[],
  index: number,
  { mayBeLetters, mayHaveSign }: { readonly mayBeLetters: boolean; readonly mayHaveSign: boolean },
): { readonly text: string; readonly length: number } | undefined {
  const signs = mayHaveSign && ['#', 'NO', 'NUMBER'].includes(words[index] ?? '') ? 1 : 0;
  const text = words[index + signs] ?? '';
  const isNumber = /^[A-Z]?\d{1,4}[A-Z]?$/.test(text) || (mayBeLetters && /^([A-Z])\1?$/.test(text));
  return isNumber ? { text, length: signs + 1 } : undefined;
}

/** Whether the word follows a house number, with at most a directional between them, or begins its part of the address. */
function isAfterHouse(words: readonly string[], index: number): boolean {
  const previous = words[index - 1] ?? BOUNDARY;
  if (previous === BOUNDARY || previous === 'OLD' || isHouseNumber(previous)) return true;
  const beforeIt = words[index - 2] ?? BOUNDARY;
  if (!DIRECTIONALS.has(previous)) return false;
  if (beforeIt === BOUNDARY || isHouseNumber(beforeIt)) return true;
  return DIRECTIONALS.has(beforeIt) && isHouseNumber(words[index - 3] ?? '');
}

function isAtStart(words: readonly string[], index: number): boolean {
  return (words[index - 1] ?? BOUNDARY) === BOUNDARY;
}

function isHouseNumber(word: string): boolean {
  return /^[NESW]?\d/.test(word) && !/\d(?:ST|ND|RD|TH)$/.test(word);
}

function written(name: string, starts: readonly string[], ends: readonly string[]): [string, string][] {
  return starts.flatMap((start) =>
    ends.map((end): [string, string] => [end === '' ? start : `${start} ${end}`, name]),
  );
}
