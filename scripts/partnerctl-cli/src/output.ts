import { paint, textTable } from '@partner/local-stack/terminal';
import { z } from 'zod';
import { OperatorError } from './exit-codes.js';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

export function parseJson(text: string): Json {
  return z.json().parse(JSON.parse(text));
}

/** Parses a text as JSON; returns the text itself if it is not JSON. */
export function jsonIn(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Characters that a terminal would interpret as commands, or that reorder or hide the text around them; not the line end. */
const UNPRINTABLE = /[^\P{Cc}\n]|[\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Returns a document of a syntax that has `\uXXXX` escapes in strings, with exactly the same values and without characters that a
 * terminal would interpret. Characters outside strings must be printable.
 */
export function escaped(document: string): string {
  return document.replaceAll(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) === -1;
}

/** Writes a value as JSON: exactly the value, without characters that a terminal would interpret. */
export function jsonText(value: unknown, indent?: number): string {
  return escaped(JSON.stringify(value, null, indent));
}

export type Document = Readonly<Record<string, Json | undefined>>;

/** A column or line: its title, and where its value is, e.g. `delivery.state`. */
export type Column = readonly [title: string, path: string];

/**
 * Parses columns or lines from a list such as `id, created: company.createdAt`: the title and the path of the value, by default the
 * title.
 */
export function columns(list: string): readonly Column[] {
  return list
    .trim()
    .split(/,\s+/)
    .map((entry) => {
      const [title = '', path = title] = entry.split(': ');
      return [title, path];
    });
}

export interface Output {
  rows(name: string, rows: readonly Document[], columns: readonly Column[], more?: Document): void;
  thing(document: Document, lines: readonly Column[], extra?: string): void;
  words(document: Document, text: string): void;
  file(document: Document, text: string): void;
}

/**
 * Creates the output. With `json` each result is one JSON document; with `field` only one of its values, a text without quotes. A
 * missing field is a failure that contains the whole result. Documents have exactly the stored values, with escapes of their syntax.
 * Output for people, and a single value on a terminal, have no control characters besides line ends, even if partners' names
 * contain them.
 */
export function createOutput(options: {
  readonly json: boolean;
  readonly field: string | undefined;
  readonly isTerminal: boolean;
  readonly hasColors: boolean;
  readonly write: (text: string) => void;
}): Output {
  const { json, field, isTerminal, hasColors, write } = options;
  function show(document: Document, forPeople: () => string): void {
    if (field !== undefined) {
      const value = valueAt(document, field);
      if (value === undefined || value === null)
        // The command has taken effect, and a secret is shown only once.
        throw new OperatorError(
          'failed',
          `this was done, but the result has no field ${field}; all of it is\n${jsonText(document, 2)}`,
        );
      const text = typeof value === 'string' ? value : jsonText(value);
      write(`${isTerminal ? printable(text) : text}\n`);
    } else if (json) {
      write(`${jsonText(document, 2)}\n`);
    } else {
      const text = `${printable(forPeople()).trimEnd()}\n`;
      write(hasColors ? highlighted(text) : text);
    }
  }
  return {
    rows(name, rows, columns, more = {}) {
      show({ [name]: rows, ...more }, () => {
        if (rows.length === 0) return `There are no ${name.replaceAll(/([A-Z])/g, ' $1').toLowerCase()}.`;
        const hint = more['hasMore'] === true ? '\n(there are more; --limit shows them)' : '';
        return renderTable(rows, columns) + hint;
      });
    },
    thing(document, lines, extra = '') {
      show(document, () => `${renderLines(document, lines)}${extra}`);
    },
    words(document, text) {
      show(document, () => text);
    },
    file(document, text) {
      if (json || field !== undefined) show(document, () => text);
      else write(text.endsWith('\n') ? text : `${text}\n`);
    },
  };
}

/** What a table may use of a terminal: its width in characters, and the time that ages count from; nothing beside a terminal. */
export interface Screen {
  readonly width: number;
  readonly now: number;
}

const SCREEN: Screen | undefined = process.stdout.isTTY
  ? { width: process.stdout.columns, now: Date.now() }
  : undefined;

/** The narrowest that a text is cut to, in characters. */
const LEAST_WIDTH = 12;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const ID = /^[a-z]{2,5}_\w{20,}$/;

/**
 * Writes rows below their titles. On a terminal, times are ages, a value that all rows share stands once above the table, and the table
 * fits the width: texts are cut, ids never, and columns that still do not fit are named below. Elsewhere it has every value.
 */
export function renderTable(
  rows: readonly Document[],
  columns: readonly Column[],
  screen: Screen | undefined = SCREEN,
): string {
  const fitting: TableColumn[] = [];
  const above: string[] = [];
  for (const [place, [title, path]] of columns.entries()) {
    const cells = rows.map((row) => oneLine(shown(valueAt(row, path))));
    if (screen === undefined) fitting.push({ title, cells });
    else if (place === 0 || rows.length < 2 || new Set(cells).size > 1)
      fitting.push({ title, cells: cells.map((cell) => (TIME.test(cell) ? age(cell, screen.now) : cell)) });
    else if (cells[0] !== undefined && cells[0] !== '') above.push(`${title}: ${cells[0]}`);
  }
  const excess = () =>
    fitting.reduce((sum, column) => sum + widthOf(column) + 2, -2) - (screen?.width ?? Infinity);
  const texts = fitting.filter(({ cells }) => !cells.some((cell) => ID.test(cell)));
  for (const column of texts.sort((one, other) => widthOf(other) - widthOf(one))) {
    const most = Math.max(LEAST_WIDTH, column.title.length, widthOf(column) - excess());
    column.cells = column.cells.map((cell) => (cell.length > most ? `${cell.slice(0, most - 1)}…` : cell));
  }
  const left: string[] = [];
  while (excess() > 0 && fitting.length > 1) left.unshift(fitting.pop()?.title ?? '');
  const lines = rows.map((_, row) => fitting.map(({ cells }) => cells[row] ?? ''));
  const table = textTable([fitting.map(({ title }) => title.toUpperCase()), ...lines], 'left');
  const below = left.length === 0 ? [] : [`(without ${left.join(', ')}: --json shows all)`];
  return [...above, ...table, ...below].join('\n');
}

interface TableColumn {
  readonly title: string;
  cells: readonly string[];
}

const widthOf = ({ title, cells }: TableColumn) =>
  Math.max(title.length, ...cells.map(({ length }) => length));

/** Writes how far a time is from now, e.g. `6 s ago` or `in 3 min`. */
function age(time: string, now: number): string {
  const aheadMs = Date.parse(time) - now;
  const amount = duration(Math.abs(aheadMs));
  return aheadMs > 0 ? `in ${amount}` : `${amount} ago`;
}

/** Writes a number of milliseconds as whole seconds, minutes, hours or days. */
export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

export function renderLines(document: Document, lines: readonly Column[]): string {
  const found = lines.flatMap(([title, path]): [string, string][] => {
    const value = shown(valueAt(document, path));
    return value === '' ? [] : [[title, oneLine(value)]];
  });
  const width = Math.max(0, ...found.map(([title]) => title.length));
  return found.map(([title, value]) => `${title.padEnd(width)}  ${value}\n`).join('');
}

export function renderBody({ body }: { readonly body?: Json }): string {
  return body === undefined ? '' : `\n${jsonText(body, 2)}\n`;
}

/** Returns the value at a path such as `keys.0.id`; undefined if it is missing. */
export function valueAt(document: Json, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([key]) => key === name)?.[1];
  }
  return value;
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map((entry: Json) => shown(entry)).join(', ');
  return typeof value === 'object' ? jsonText(value) : String(value);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ');
}

const TONES: Readonly<Record<string, 'green' | 'yellow' | 'red'>> = {
  ...{ ok: 'green', active: 'green', healthy: 'green', delivered: 'green', pass: 'green' },
  ...{ warn: 'yellow', paused: 'yellow', degraded: 'yellow', retry_scheduled: 'yellow', '!': 'yellow' },
  ...{ recovering: 'yellow', not_tested: 'yellow' },
  ...{ fail: 'red', failed: 'red', failing: 'red', dead_lettered: 'red', revoked: 'red' },
};

function highlighted(text: string): string {
  return text
    .replaceAll(/^[A-Z][A-Z ]+$/gm, (head) => paint('bold', head, true))
    .replaceAll(/^!(?= )|(?<=^| {2})[a-z_]+(?=$| {2})/gm, (cell) => {
      const tone = TONES[cell];
      return tone === undefined ? cell : paint(tone, cell, true);
    });
}

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, '\ufffd');
}
