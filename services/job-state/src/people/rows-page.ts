import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Queryable, Transaction } from '../database/database.js';
import { queryNamed } from '../database/query-named.js';
import type { ErasedColumns, RowKey } from '../database/table.js';
import { eraseValue, type StoredRow } from './erase-value.js';
import { showMessage } from './redact-message.js';

/** Rows of a table that are read page by page along a unique key. */
export interface RowSource {
  readonly name: string;
  /** Condition on the row `t`. Names in braces are parameters. */
  readonly where: string;
  /** Selects among the rows that a page reads; absent: all of them. */
  readonly scanned?: string | undefined;
  readonly key: RowKey;
  readonly erased: ErasedColumns;
}

/** A page of rows. */
export interface RowsPage {
  readonly rows: readonly StoredRow[];
  /** The key of the last row that was read; undefined: no rows follow. */
  readonly after: readonly string[] | undefined;
}

type FoundRow = StoredRow & {
  readonly key_text: readonly string[];
  readonly is_match: boolean;
  /** From 1, within what the page has read. */
  readonly place: number;
};

const PAGE_ROWS = 50;
/** A page ends early beyond this size, so that it fits into a response. */
const PAGE_BYTES = 4 * 1_048_576;
/** Rows that one statement reads if it selects among them. */
const SCANNED_ROWS = 5_000;
/** Columns that never leave the database. */
const HIDDEN = new Set([
  ...['wrong_secret', 'lease_id', 'body_sha256', 'secret_sha256', 'password_hash', 'faults'],
  ...['key_text', 'is_match', 'place'],
]);

/**
 * Reads a page of rows. It may be empty although others follow.
 *
 * With `isFew` all rows of the source are read first: a plan that follows the order of the key could read the whole table to find them.
 */
export async function readRows(
  database: Queryable,
  { name, where, scanned, ...source }: RowSource,
  given: {
    readonly values: Readonly<Record<string, unknown>>;
    readonly after: readonly string[] | undefined;
    readonly isFew: boolean;
  },
): Promise<RowsPage> {
  const key = Object.entries(source.key);
  const columns = key.map(([column]) => `t.${column}`).join(', ');
  const after = given.after?.map((text, index) => ({ text, type: key[index]?.[1] ?? 'text' }));
  const behind =
    after === undefined
      ? ''
      : `and (${columns}) > (${after.map(({ type }, index) => `{after${index}}::${type}`).join(', ')})`;
  const limit = scanned === undefined ? PAGE_ROWS : SCANNED_ROWS;
  const isMatch = scanned ?? 'true';
  const from = given.isFew
    ? `(select * from ${name} t where ${where} offset 0) t where true`
    : `${name} t where ${where}`;
  const found = await queryNamed<FoundRow>(
    database,
    `select t.*, array[${key.map(([column]) => `t.${column}::text`).join(', ')}] as key_text, ${isMatch} as is_match
     from (
       select t.*, row_number() over (order by ${columns})::integer as place from ${from} ${behind}
       order by ${columns} limit ${limit}
     ) t where ${isMatch} or t.place = ${limit} order by ${columns}`,
    {
      ...given.values,
      ...Object.fromEntries((after ?? []).map(({ text }, index) => [`after${index}`, text])),
    },
  );
  let bytes = 0;
  const page = found.filter((row, index) => {
    bytes += row.is_match ? sizeOf(row) : 0;
    return index === 0 || bytes <= PAGE_BYTES;
  });
  const last = page.at(-1);
  const isLast = page.length === found.length && last?.place !== limit;
  return {
    rows: page.filter(({ is_match }) => is_match),
    after: isLast || last === undefined ? undefined : last.key_text,
  };
}

/** A row as an export shows it: without secrets, with JSON and messages decoded. */
export function shownRow(row: StoredRow): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => !HIDDEN.has(column))
      .map(([column, value]) => [column, shownValue(row, value)]),
  );
}

function shownValue(row: StoredRow, value: unknown): unknown {
  if (Buffer.isBuffer(value)) {
    return 'message_id' in row ? showMessage(row['type'], value) : jsonOrText(value.toString('utf8'));
  }
  return typeof value === 'string' && value.startsWith('{"') ? jsonOrText(value) : value;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Erases data in the rows of a page, and returns the changed ones as they were. Locks: the changed rows in ascending order.
 *
 * Each row is read again under its lock, so that no concurrent change is lost. Erased rows stay as they are.
 */
export async function eraseRows(
  tx: Transaction,
  { name, erased, ...source }: RowSource,
  rows: readonly StoredRow[],
): Promise<readonly StoredRow[]> {
  const key = Object.entries(source.key);
  const former: StoredRow[] = [];
  for (const row of rows) {
    if (Object.keys(changesOf(row, erased)).length === 0) continue;
    const values = z.array(z.string()).parse(row['key_text']);
    const match = key.map(([column, type], index) => `${column} = $${index + 1}::${type}`).join(' and ');
    const [locked] = await tx.query<StoredRow>(
      `select * from ${name} where ${match} for no key update`,
      values,
    );
    const changes = Object.entries(locked === undefined ? {} : changesOf(locked, erased));
    if (locked === undefined || changes.length === 0) continue;
    const set = changes.map(([column], index) => `${column} = $${values.length + index + 1}`).join(', ');
    await tx.query(`update ${name} set ${set} where ${match}`, [
      ...values,
      ...changes.map(([, value]) => value),
    ]);
    former.push(locked);
  }
  return former;
}

function changesOf(row: StoredRow, erased: RowSource['erased']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(erased).flatMap(([column, as]) => {
      const value = row[column];
      const after = eraseValue(as, value, row);
      if (isDeepStrictEqual(value, after)) return [];
      return [[column, isJsonObject(after) ? JSON.stringify(after) : after]];
    }),
  );
}

const isJsonObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Buffer.isBuffer(value);

function sizeOf(row: StoredRow): number {
  return Object.values(row).reduce<number>((sum, value) => {
    if (typeof value === 'string' || Buffer.isBuffer(value)) return sum + value.length;
    return sum + (isJsonObject(value) ? JSON.stringify(value).length : 8);
  }, 0);
}
