import type { PersonRecords } from '@partner/proto-contracts/internal/operators/people';
import { z } from 'zod';
import type { Queryable, Transaction } from '../database/database.js';
import { queryNamed } from '../database/query-named.js';
import { TABLES } from '../database/tables.js';
import { isInFlight } from '../webhooks/deliveries/delivery-columns.js';
import type { StoredRow } from './erase-value.js';
import { eraseRows, readRows, type RowSource } from './rows-page.js';

/** The ids that the conditions of {@link TABLES} name. */
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

const SOURCES: readonly RowSource[] = TABLES.flatMap(({ name, person }) =>
  person === undefined ? [] : [{ name, ...person, erased: person.personal }],
);
const LAST_SOURCE = SOURCES.findIndex(({ name }) => name === 'jobs');
const RESPONSES = SOURCES.findIndex(({ name }) => name === 'delivery_attempts');

/** Whether a page is of a table that everything else is rendered from. */
export const isSource = ({ table }: PersonPosition): boolean => table <= LAST_SOURCE;

/** Whether a page is of the responses of receivers. */
export const isOfResponses = ({ table }: PersonPosition): boolean => table === RESPONSES;

/** The rest of the lowest key of a company in a scanned table. */
const LOWEST = ['', '-infinity'];

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
export async function companiesOf(database: Queryable, records: PersonRecords): Promise<readonly string[]> {
  return (await idsOf(database, records)).companies;
}

/** Whether an attempt to deliver an event about the records is in flight. */
export async function hasAttemptInFlight(database: Queryable, records: PersonRecords): Promise<boolean> {
  const leased = await queryNamed<{ id: string }>(
    database,
    `select d.id from deliveries d where d.id = any({deliveries}) and ${isInFlight('d')} limit 1`,
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
  const [of, ids] = [SOURCES[table], await idsOf(database, records)];
  if (of === undefined) return { table: '', rows: [], next: undefined };
  const isScanned = of.scanned !== undefined;
  const company = after?.[0] ?? ids.companies[0] ?? '';
  const page = await readRows(database, of, { values: { ...ids, company }, after, isFew: !isScanned });
  const nextCompany = ids.companies[ids.companies.indexOf(company) + 1];
  const following = table + 1 < SOURCES.length ? { table: table + 1 } : undefined;
  const next =
    isScanned && nextCompany !== undefined ? { table, after: [nextCompany, ...LOWEST] } : following;
  return {
    table: of.name,
    rows: page.rows,
    next: page.after === undefined ? next : { table, after: [...page.after] },
  };
}

/** Erases the personal data in the rows of a page as {@link eraseRows} does. */
export async function erasePersonPage(
  tx: Transaction,
  { table, rows }: PersonPage,
): Promise<readonly StoredRow[]> {
  const of = SOURCES.find(({ name }) => name === table);
  return of === undefined ? [] : eraseRows(tx, of, rows);
}
