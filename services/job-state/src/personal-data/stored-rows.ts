import { isDeepStrictEqual } from 'node:util';
import type { CustomerRecords } from '@partner/proto-contracts/internal/operators/customers';
import { z } from 'zod';
import type { Queryable, Transaction } from '../database/database.js';
import { queryNamed } from '../database/query-named.js';
import type { CompanyRows, ErasedColumns, RowKey } from '../database/table.js';
import { TABLES } from '../database/tables.js';
import { isInFlight } from '../webhooks/deliveries/delivery-columns.js';
import { eraseValue, ownerOf, showMessage, type StoredRow } from './erase-value.js';

/** Rows of a table that are read page by page along a unique key. */
interface RowSource {
  readonly name: string;
  /** Condition on the row `t`. Names in braces are parameters. */
  readonly where: string;
  /** Selects among the rows that a page reads; absent: all of them. */
  readonly scanned?: string | undefined;
  readonly key: RowKey;
  readonly erased: ErasedColumns;
  /** An export of the data of a company has the rows. */
  readonly isExported?: boolean;
}

export const rowPosition = z.object({
  table: z.int().min(0),
  /** After the row with this key; absent: at the first one. */
  after: z.array(z.string()).optional(),
});

export type RowPosition = z.infer<typeof rowPosition>;

/** Whose data it is: of a customer, or of a company as far as only that company can read it. */
export type Subject = CustomerRecords | { readonly companyId: string };

interface Page {
  readonly table: string;
  readonly rows: readonly StoredRow[];
  /** Undefined: it was the last page. */
  readonly next: RowPosition | undefined;
}

const OF_CUSTOMER: readonly RowSource[] = TABLES.flatMap(({ name, customer }) =>
  customer === undefined ? [] : [{ name, ...customer, erased: customer.personal }],
);
const LAST_SOURCE = OF_CUSTOMER.findIndex(({ name }) => name === 'jobs');
const RESPONSES = OF_CUSTOMER.findIndex(({ name }) => name === 'delivery_attempts');

const OF_COMPANY: readonly RowSource[] = TABLES.flatMap(({ name, customer, company, shared = [] }) => {
  const key = customer?.key ?? { id: 'text' };
  const source = ({ where = 'true', scanned, erased }: CompanyRows) => ({
    ...{ name, where, scanned, key, erased },
    isExported: !shared.some((each) => each.erased === erased),
  });
  return [...(company === undefined ? [] : [company]), ...shared].map(source);
});

const sourcesOf = (subject: Subject) => ('companyId' in subject ? OF_COMPANY : OF_CUSTOMER);

/** Whether a page is of a table that everything else is rendered from. */
export const isSource = ({ table }: RowPosition): boolean => table <= LAST_SOURCE;

export const isOfResponses = ({ table }: RowPosition): boolean => table === RESPONSES;

/** The rest of the lowest key of a company in a scanned table. */
const LOWEST = ['', '-infinity'];

/** The ids that the conditions of {@link TABLES} name. */
type CustomerIds = CustomerRecords & {
  /** Those that have or had the records. */
  readonly companies: readonly string[];
  /** All records. */
  readonly resources: readonly string[];
  readonly events: readonly string[];
  readonly deliveries: readonly string[];
};

const COMPANIES = `
  select company_id as id from leads where id = any({leads})
  union select company_id from projects where id = any({projects})
  union select selling_company_id from jobs where id = any({jobs})
  union select installer_company_id from jobs where id = any({jobs}) and installer_company_id is not null
  union select company_id from job_status_events where job_id = any({jobs})
  union select held ->> 'companyId' from jobs, jsonb_array_elements(platform_state -> 'assignments') as held
    where id = any({jobs}) and held ->> 'companyId' is not null`;

async function idsOf(database: Queryable, records: CustomerRecords): Promise<CustomerIds> {
  const ids = {
    ...records,
    resources: Object.values(records).flat(),
    companies: [],
    events: [],
    deliveries: [],
  };
  const read = async (text: string, known: CustomerIds) =>
    (await queryNamed<{ id: string }>(database, text, known)).map(({ id }) => id).sort();
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
export async function companiesOf(database: Queryable, records: CustomerRecords): Promise<readonly string[]> {
  return (await idsOf(database, records)).companies;
}

export async function hasAttemptInFlight(database: Queryable, records: CustomerRecords): Promise<boolean> {
  const leased = await queryNamed<{ id: string }>(
    database,
    `select d.id from deliveries d where d.id = any({deliveries}) and ${isInFlight('d')} limit 1`,
    await idsOf(database, records),
  );
  return leased.length > 0;
}

/** Reads a page of the rows of a subject. It may be empty although others follow. */
async function readPage(database: Queryable, subject: Subject, { table, after }: RowPosition): Promise<Page> {
  const source = sourcesOf(subject)[table];
  if (source === undefined) return { table: '', rows: [], next: undefined };
  const following = table + 1 < sourcesOf(subject).length ? { table: table + 1 } : undefined;
  if ('companyId' in subject) {
    const { companyId } = subject;
    const page = await readRows(database, source, { values: { company: companyId }, after, isFew: false });
    return {
      table: source.name,
      rows: page.rows.filter((row) => isOwn(row, companyId)),
      next: page.after === undefined ? following : { table, after: [...page.after] },
    };
  }
  const ids = await idsOf(database, subject);
  const isScanned = source.scanned !== undefined;
  const company = after?.[0] ?? ids.companies[0] ?? '';
  const page = await readRows(database, source, { values: { ...ids, company }, after, isFew: !isScanned });
  const nextCompany = ids.companies[ids.companies.indexOf(company) + 1];
  const next =
    isScanned && nextCompany !== undefined ? { table, after: [nextCompany, ...LOWEST] } : following;
  return {
    table: source.name,
    rows: page.rows,
    next: page.after === undefined ? next : { table, after: [...page.after] },
  };
}

export async function readExportedPage(database: Queryable, subject: Subject, position: RowPosition) {
  const { table, rows, next } = await readPage(database, subject, position);
  const isExported = sourcesOf(subject)[position.table]?.isExported ?? true;
  return {
    rows: isExported ? rows.map((row) => ({ table, row: shownRow(row) })) : [],
    ...(next !== undefined && { cursor: JSON.stringify(next) }),
  };
}

/** Whether a row belongs to a company: a message can name several. */
function isOwn({ type, body, message_id: messageId }: StoredRow, companyId: string): boolean {
  if (messageId === undefined || !Buffer.isBuffer(body)) return true;
  return (ownerOf(type, body) ?? companyId) === companyId;
}

interface RowsPage {
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
  'archived_at',
  ...['wrong_secret', 'lease_id', 'body_sha256', 'secret_sha256', 'password_hash', 'faults'],
  ...['key_text', 'is_match', 'place'],
]);

/**
 * Reads a page of rows. It may be empty although others follow.
 *
 * With `isFew` all rows of the source are read first: a plan that follows the order of the key could read the whole table to find them.
 */
async function readRows(
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
function shownRow(row: StoredRow): Readonly<Record<string, unknown>> {
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
 * Reads a page of the rows of a subject, erases its data in them, and returns the changed ones as they were. Locks: the changed rows in
 * ascending order.
 *
 * Each row is read again under its lock, so that no concurrent change is lost. Erased rows stay as they are.
 */
export async function erasePage(
  tx: Transaction,
  subject: Subject,
  position: RowPosition,
): Promise<Omit<Page, 'rows'> & { readonly former: readonly StoredRow[] }> {
  const { table, rows, next } = await readPage(tx, subject, position);
  const source = sourcesOf(subject)[position.table];
  const former: StoredRow[] = [];
  if (source === undefined) return { table, next, former };
  const { name, erased } = source;
  const key = Object.entries(source.key);
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
  return { table, next, former };
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
