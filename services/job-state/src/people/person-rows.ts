import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Queryable, Transaction } from '../database/database.js';
import { showMessage } from './redact-message.js';
import { STORED_TABLES, type StoredRow } from './stored-data.js';

/** The ids of the records of a customer. */
export const personRecords = z.object({
  leads: z.array(z.string()),
  projects: z.array(z.string()),
  jobs: z.array(z.string()),
  appointments: z.array(z.string()),
  /** Quotes, deposits, invoices, rebates and journal entries. */
  facts: z.array(z.string()),
});

export type PersonRecords = z.infer<typeof personRecords>;

/** The ids that the conditions of {@link STORED_TABLES} name. */
type PersonIds = PersonRecords & {
  /** Those that have or had the records. */
  readonly companies: readonly string[];
  /** All records. */
  readonly resources: readonly string[];
  readonly events: readonly string[];
  readonly deliveries: readonly string[];
};

/** Where a page begins. */
export const personPosition = z.object({
  table: z.int().min(0),
  /** After the row with this key; absent: at the first one. */
  after: z.array(z.string()).optional(),
});

export type PersonPosition = z.infer<typeof personPosition>;

interface PersonPage {
  readonly table: string;
  readonly rows: readonly StoredRow[];
  /** Undefined: it was the last page. */
  readonly next: PersonPosition | undefined;
}

type FoundRow = StoredRow & {
  readonly key_text: readonly string[];
  readonly is_match: boolean;
  /** From 1, within what the page has read. */
  readonly place: number;
};

const TABLES = STORED_TABLES.flatMap(({ name, person }) =>
  person === undefined ? [] : [{ name, ...person }],
);
const LAST_SOURCE = TABLES.findIndex(({ name }) => name === 'jobs');
const RESPONSES = TABLES.findIndex(({ name }) => name === 'delivery_attempts');

/** Whether a page is of a table that everything else is rendered from. */
export const isSource = ({ table }: PersonPosition): boolean => table <= LAST_SOURCE;

/** Whether a page is of the responses of receivers. */
export const isOfResponses = ({ table }: PersonPosition): boolean => table === RESPONSES;

const PAGE_ROWS = 50;
/** A page ends early beyond this size, so that it fits into a response. */
const PAGE_BYTES = 4 * 1_048_576;
/** Rows that one statement reads of a table in which no index finds those of a customer. */
const SCANNED_ROWS = 5_000;
/** The rest of the lowest key of a company in a scanned table. */
const LOWEST = ['', '-infinity'];
/** Columns that never leave the database. */
const HIDDEN = new Set(['wrong_secret', 'lease_id', 'body_sha256', 'key_text', 'is_match', 'place']);

const COMPANIES = `
  select company_id as id from leads where id = any({leads})
  union select company_id from projects where id = any({projects})
  union select selling_company_id from jobs where id = any({jobs})
  union select installer_company_id from jobs where id = any({jobs}) and installer_company_id is not null
  union select company_id from job_status_events where job_id = any({jobs})
  union select held ->> 'companyId' from jobs, jsonb_array_elements(platform_state -> 'assignments') as held
    where id = any({jobs}) and held ->> 'companyId' is not null`;

/** Finds the companies, events and deliveries of a customer's records. */
async function idsOf(database: Queryable, records: PersonRecords): Promise<PersonIds> {
  const ids = {
    ...records,
    resources: Object.values(records).flat(),
    companies: [],
    events: [],
    deliveries: [],
  };
  const read = async (text: string, known: PersonIds) =>
    (await select<{ id: string }>(database, text, known)).map(({ id }) => id).sort();
  const companies = await read(COMPANIES, ids);
  const known = { ...ids, companies };
  const events = await read(
    'select id from events where company_id = any({companies}) and resource_id = any({resources})',
    known,
  );
  const deliveries = await read('select id from all_deliveries where event_id = any({events})', {
    ...known,
    events,
  });
  return { ...known, events, deliveries };
}

/** The companies that have or had a customer's records. */
export async function companiesOf(database: Queryable, records: PersonRecords): Promise<readonly string[]> {
  return (await idsOf(database, records)).companies;
}

/** Whether an attempt to deliver an event about the records is in flight. */
export async function hasAttemptInFlight(database: Queryable, records: PersonRecords): Promise<boolean> {
  const leased = await select<{ id: string }>(
    database,
    'select id from deliveries where id = any({deliveries}) and lease_id is not null and next_attempt_at > now() limit 1',
    await idsOf(database, records),
  );
  return leased.length > 0;
}

/** Reads a page of the rows about a customer. It may be empty although others follow. */
export async function readPersonPage(
  database: Queryable,
  records: PersonRecords,
  { table, after }: PersonPosition,
): Promise<PersonPage> {
  const [of, ids] = [TABLES[table], await idsOf(database, records)];
  if (of === undefined) return { table: '', rows: [], next: undefined };
  const { name, key, where, scanned = 'true' } = of;
  const company = after?.[0] ?? ids.companies[0] ?? '';
  const columns = key.map(([column]) => `t.${column}`).join(', ');
  const values = after?.map((text, index) => ({ text, type: key[index]?.[1] ?? 'text' }));
  const behind =
    values === undefined
      ? ''
      : `and (${columns}) > (${values.map(({ type }, index) => `{after${index}}::${type}`).join(', ')})`;
  const limit = of.scanned === undefined ? PAGE_ROWS : SCANNED_ROWS;
  // The rows of a customer are few, but a plan that follows the order of the key would read the whole table.
  const source =
    of.scanned === undefined
      ? `(select * from ${name} t where ${where} offset 0) t where true`
      : `${name} t where ${where}`;
  const found = await select<FoundRow>(
    database,
    `select t.*, array[${key.map(([column]) => `t.${column}::text`).join(', ')}] as key_text, ${scanned} as is_match
     from (
       select t.*, row_number() over (order by ${columns})::integer as place from ${source} ${behind}
       order by ${columns} limit ${limit}
     ) t where ${scanned} or t.place = ${limit} order by ${columns}`,
    {
      ...{ ...ids, company },
      ...Object.fromEntries((values ?? []).map(({ text }, index) => [`after${index}`, text])),
    },
  );
  let bytes = 0;
  const page = found.filter((row, index) => {
    bytes += row.is_match ? sizeOf(row) : 0;
    return index === 0 || bytes <= PAGE_BYTES;
  });
  const last = page.at(-1);
  const isLast = page.length === found.length && last?.place !== limit;
  const nextCompany = ids.companies[ids.companies.indexOf(company) + 1];
  const ofNextTable = table + 1 < TABLES.length ? { table: table + 1 } : undefined;
  const following =
    of.scanned === undefined || nextCompany === undefined
      ? ofNextTable
      : { table, after: [nextCompany, ...LOWEST] };
  return {
    table: name,
    rows: page.filter(({ is_match }) => is_match),
    next: isLast || last === undefined ? following : { table, after: [...last.key_text] },
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
 * Erases the personal data in the rows of a page, and returns how many have changed. Locks: the changed rows in ascending order.
 *
 * Each row is read again under its lock, so that no concurrent change is lost. Erased rows stay as they are.
 */
export async function erasePersonPage(tx: Transaction, { table, rows }: PersonPage): Promise<number> {
  const of = TABLES.find(({ name }) => name === table);
  let changedRows = 0;
  for (const row of of === undefined ? [] : rows) {
    if (of === undefined || Object.keys(changesOf(row, of.personal)).length === 0) continue;
    const values = z.array(z.string()).parse(row['key_text']);
    const match = of.key.map(([column, type], index) => `${column} = $${index + 1}::${type}`).join(' and ');
    const [locked] = await tx.query<StoredRow>(
      `select * from ${table} where ${match} for no key update`,
      values,
    );
    const changes = Object.entries(locked === undefined ? {} : changesOf(locked, of.personal));
    if (changes.length === 0) continue;
    const set = changes.map(([column], index) => `${column} = $${values.length + index + 1}`).join(', ');
    await tx.query(`update ${table} set ${set} where ${match}`, [
      ...values,
      ...changes.map(([, value]) => value),
    ]);
    changedRows += 1;
  }
  return changedRows;
}

function changesOf(
  row: StoredRow,
  personal: Readonly<Record<string, (value: unknown, row: StoredRow) => unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(personal).flatMap(([column, erase]) => {
      const value = row[column];
      const after = value === null ? null : erase(value, row);
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

/** Runs a statement that names its parameters in braces. Lists are arrays of texts. */
export function select<Row extends Readonly<Record<string, unknown>>>(
  database: Queryable,
  statement: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Row[]> {
  const names: string[] = [];
  const text = statement.replaceAll(/\{([a-z]\w*)\}/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}${Array.isArray(given[name]) ? '::text[]' : ''}`;
  });
  return database.query<Row>(
    text,
    names.map((name) => given[name] ?? null),
  );
}
