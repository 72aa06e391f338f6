import { paint, textTable } from '@partner/local-stack/terminal';
import { z } from 'zod';
import { OperatorError } from './exit-codes.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

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

export type Document = Readonly<Record<string, Json>>;

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

export function renderTable(rows: readonly Document[], columns: readonly Column[]): string {
  const cells = rows.map((row) => columns.map(([, path]) => oneLine(shown(valueAt(row, path)))));
  return textTable([columns.map(([title]) => title.toUpperCase()), ...cells], 'left').join('\n');
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
