import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { CustomersFound } from '@partner/proto-contracts/resources/customer/customer';
import { isId } from '@partner/kernel/process/ids';
import { notFound } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { z } from 'zod';
import { type Database, type Queryable, queryWithin } from '../database/database.js';
import { queryNamed } from '../database/query-named.js';
import { normaliseAddress } from '../leads/address-key/normalise-address.js';
import { digitsInAnyNotation, isNotationOf, readPhoneNumber } from './phone-number.js';
import {
  findPeopleOperation,
  type CustomerRecords,
  customerRecords,
} from '@partner/proto-contracts/internal/operators/customers';
import { implementInternal } from '@partner/kernel/amqp/implement';

/**
 * Whom a search is for. A record matches that has one of the values; with a company, only its own records. `id` is of a lead, a
 * project or a job.
 */
type CustomerCriteria = Omit<z.output<typeof findPeopleOperation.input>, 'cursor'>;

export const searchPosition = z.object({
  pass: z.int().min(0),
  /** After the row with this id. */
  after: z.string(),
  scanned: z.int().min(0),
  found: customerRecords,
});

export type SearchPosition = z.infer<typeof searchPosition>;

/** Rows that one step scans, along the primary key and without a lock. */
const SCAN_ROWS = 10_000;
/** More records than one customer has. */
const MAX_RECORDS = 1_000;
const NO_RECORDS: CustomerRecords = { leads: [], projects: [], jobs: [], appointments: [], facts: [] };

/**
 * Rows whose number can be a notation of the wanted one: its digits hold the last ones of a reading, or it has characters of which the
 * digits are unknown here. {@link isNotationOf} decides.
 */
const maybePhone = (column: string) =>
  `({tails}::text is not null and (regexp_replace(${column}, '[^0-9]', '', 'g') ~ {tails} or ${column} ~ '[^0-9+()./ -]'))`;

const IS_EMAIL = 'coalesce(lower(t.email) = {email}, false)';
const CONTACT = `${IS_EMAIL} or ${maybePhone('t.phone')}`;
const CONTACT_VALUES = { matches: IS_EMAIL, phone: 't.phone' };
const JOB_PHONE = `t.customer ->> 'phone'`;
const JOB_ADDRESS = `concat(t.customer ->> 'line1', ', ', t.customer ->> 'city', ', ', t.customer ->> 'state', ' ', t.customer ->> 'zip')`;

/** One scan of a table. */
interface Pass {
  readonly table: string;
  readonly idType: 'text' | 'bigint';
  readonly company: string;
  /** Condition on the row `t`. */
  readonly where: string;
  /** Ids that a matching row adds, by kind of record. */
  readonly adds: Readonly<Partial<Record<keyof CustomerRecords, string>>>;
  /** Only if these criteria are given; absent: always. */
  readonly needs?: readonly (keyof CustomerCriteria)[];
  /** The row matches if `matches` is true or one of the other values is the wanted one; absent: `where` decides alone. */
  readonly values?: { readonly matches?: string; readonly phone?: string; readonly address?: string };
}

const LEAD_COMPANY = '(select l.company_id from leads l where l.id = t.lead_id)';

/** The passes of a search. From the third one on they only follow the links between the records. */
const PASSES: readonly Pass[] = [
  {
    table: 'leads',
    idType: 'text',
    company: 't.company_id',
    where: CONTACT,
    values: CONTACT_VALUES,
    adds: { leads: 't.id' },
    needs: ['email', 'phone'],
  },
  {
    table: 'lead_submissions',
    idType: 'bigint',
    company: LEAD_COMPANY,
    where: CONTACT,
    values: CONTACT_VALUES,
    adds: { leads: 't.lead_id' },
    needs: ['email', 'phone'],
  },
  {
    table: 'jobs',
    idType: 'text',
    company: 't.selling_company_id',
    where: `${maybePhone(JOB_PHONE)} or coalesce(substring(t.customer ->> 'zip' from '[0-9]{5}'), '') = {zip}`,
    values: { phone: JOB_PHONE, address: JOB_ADDRESS },
    adds: { jobs: 't.id', projects: 't.project_id' },
    needs: ['phone', 'address'],
  },
  {
    table: 'projects',
    idType: 'text',
    company: 't.company_id',
    where: 't.address_key = {addressKey} or t.lead_id = any({leads}) or t.id = any({projects})',
    adds: { projects: 't.id', leads: 't.lead_id' },
  },
  {
    table: 'jobs',
    idType: 'text',
    company: 't.selling_company_id',
    where: 't.project_id = any({projects}) or t.id = any({jobs})',
    adds: { jobs: 't.id' },
  },
  {
    table: 'appointments',
    idType: 'text',
    company: 't.company_id',
    where: 't.lead_id = any({leads}) or t.project_id = any({projects})',
    adds: { appointments: 't.id' },
  },
  {
    table: 'sales_records',
    idType: 'text',
    company: 't.company_id',
    where: 't.project_id = any({projects})',
    adds: { facts: 't.id' },
  },
];

/** Where the passes begin that follow the links between known records. */
const FIRST_LINK = PASSES.findIndex(({ table }) => table === 'projects');

/** The position from which a search finds everything that is linked to known records. */
export function followLinks(found: CustomerRecords): SearchPosition {
  return { pass: FIRST_LINK, after: '', scanned: 0, found };
}

/** Validates the criteria and returns the first position. Fails with `invalid_argument`, and with `not_found` for an unknown id. */
async function beginSearch(database: Queryable, criteria: CustomerCriteria): Promise<SearchPosition> {
  const { email, phone, address, id } = criteria;
  const refuse = (path: string, message: string) => {
    throw invalidArgument([{ path, message }]);
  };
  if (email?.includes('@') === false) refuse('email', 'must be an email address');
  if (phone !== undefined && readPhoneNumber(phone).readings.length === 0) {
    refuse('phone', 'must have at least 7 digits');
  }
  if (address !== undefined && normaliseAddress(address) === '') {
    refuse('address', 'must be a postal address');
  }
  if ([email, phone, address, id].every((value) => value === undefined)) {
    refuse('criteria', 'must have an email, a phone, an address or an id');
  }
  const found = id === undefined ? NO_RECORDS : await recordsOfId(database, id);
  return { pass: 0, after: '', scanned: 0, found };
}

async function recordsOfId(database: Queryable, id: string): Promise<CustomerRecords> {
  const queries = [
    ['lead', `select id as lead, null as project, null as job from leads where id = $1`],
    ['prj', `select null as lead, id as project, null as job from projects where id = $1`],
    ['job', `select null as lead, project_id as project, id as job from jobs where id = $1`],
  ] as const;
  const query = queries.find(([prefix]) => isId(prefix, id));
  if (query === undefined) {
    throw invalidArgument([{ path: 'id', message: 'must be the id of a lead, project or job' }]);
  }
  const [row] = await database.query<{ lead: string | null; project: string | null; job: string | null }>(
    query[1],
    [id],
  );
  if (row === undefined) throw notFound('record');
  const list = (value: string | null) => (value === null ? [] : [value]);
  return { ...NO_RECORDS, leads: list(row.lead), projects: list(row.project), jobs: list(row.job) };
}

/**
 * Takes one step of a search: it scans at most {@link SCAN_ROWS} rows of one table in one short statement.
 *
 * Returns the next position; `undefined` for `next` at the end. Fails with `invalid_argument` beyond `maxRecords`.
 */
export async function stepSearch(
  database: Queryable,
  criteria: CustomerCriteria,
  position: SearchPosition,
  maxRecords = MAX_RECORDS,
): Promise<{
  readonly found: CustomerRecords;
  readonly scanned: number;
  readonly next: SearchPosition | undefined;
}> {
  const index = PASSES.findIndex(
    ({ needs }, at) =>
      at >= position.pass && (needs === undefined || needs.some((name) => criteria[name] !== undefined)),
  );
  const pass = PASSES[index];
  if (pass === undefined) return { found: position.found, scanned: position.scanned, next: undefined };
  const after = index === position.pass ? position.after : '';
  const { last, rows, scanned } = await scan(database, pass, after, valuesOf(criteria, position.found));
  const matching = pass.values === undefined ? rows : rows.filter(matcherOf(criteria));
  const found = customerRecords.parse(
    Object.fromEntries(
      Object.entries(position.found).map(([kind, ids]) => [
        kind,
        [...new Set([...ids, ...matching.map((row) => row[kind]).filter((id) => typeof id === 'string')])],
      ]),
    ),
  );
  if (Object.values(found).flat().length > maxRecords) {
    const message = `finds more than ${maxRecords} records; name a company`;
    throw invalidArgument([{ path: 'criteria', message }]);
  }
  const next =
    last === null
      ? { pass: index + 1, after: '', scanned: position.scanned + scanned, found }
      : { pass: index, after: last, scanned: position.scanned + scanned, found };
  return { found, scanned: next.scanned, next: next.pass < PASSES.length ? next : undefined };
}

type FoundRow = Readonly<Record<string, string | boolean | null>>;

function matcherOf(criteria: CustomerCriteria): (row: FoundRow) => boolean {
  const phone = criteria.phone === undefined ? undefined : readPhoneNumber(criteria.phone);
  const addressKey = criteria.address === undefined ? undefined : normaliseAddress(criteria.address);
  return (row) =>
    row['matches'] === true ||
    (phone !== undefined && typeof row['phone'] === 'string' && isNotationOf(phone, row['phone'])) ||
    (addressKey !== undefined &&
      typeof row['address'] === 'string' &&
      normaliseAddress(row['address']) === addressKey);
}

async function scan(
  database: Queryable,
  { table, idType, company, where, adds, values: compared = {} }: Pass,
  after: string,
  values: Readonly<Record<string, unknown>>,
): Promise<{ readonly last: string | null; readonly rows: readonly FoundRow[]; readonly scanned: number }> {
  const columns = [...Object.entries(adds), ...Object.entries(compared)];
  const [result] = await queryNamed<{ last: string | null; scanned: number; rows: readonly FoundRow[] }>(
    database,
    `with page as materialized (
       select t.* from ${table} t where ${after === '' ? 'true' : `t.id > {after}::${idType}`} order by t.id limit ${SCAN_ROWS}
     ), found as (
       select ${columns.map(([name, sql]) => `${sql} as ${name}`).join(', ')} from page t
       where (${where}) and ({companyId}::text is null or ${company} = {companyId})
     )
     select (select count(*) from page)::integer as scanned,
       (select id::text from page order by id offset ${SCAN_ROWS - 1}) as last,
       coalesce((select json_agg(found) from found), '[]') as rows`,
    { ...values, after },
  );
  return result ?? { last: null, rows: [], scanned: 0 };
}

function valuesOf(criteria: CustomerCriteria, found: CustomerRecords): Readonly<Record<string, unknown>> {
  const addressKey = criteria.address === undefined ? null : normaliseAddress(criteria.address);
  return {
    ...found,
    email: criteria.email?.trim().toLowerCase() ?? null,
    tails:
      criteria.phone === undefined ? null : digitsInAnyNotation(readPhoneNumber(criteria.phone)).join('|'),
    addressKey,
    zip: addressKey === null ? null : (/\b\d{5}$/.exec(addressKey)?.[0] ?? ''),
    companyId: criteria.companyId ?? null,
  };
}

/** Takes a step of a search for an operator; the last one returns the records. */
export const findCustomers = (deps: { readonly database: Pick<Database, 'query'> }) =>
  implementInternal(findPeopleOperation, async ({ cursor, ...criteria }, { timeoutMs }) => {
    const database = queryWithin(deps.database, { timeoutMs: timeoutMs() });
    const position =
      cursor === undefined ? await beginSearch(database, criteria) : readCursor(searchPosition, cursor);
    const { found, scanned, next } = await stepSearch(database, criteria, position);
    return next === undefined
      ? { scannedRows: scanned, found: { ...(await showFound(database, found)), records: found } }
      : { scannedRows: scanned, cursor: JSON.stringify(next) };
  });

/** Reads the position in a cursor. Fails with `invalid_argument` for another text. */
export function readCursor<Schema extends z.ZodType>(schema: Schema, cursor: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(cursor));
  } catch {
    const message = 'must be the cursor of a previous response, unchanged';
    throw invalidArgument([{ path: 'cursor', message }]);
  }
}

/** The leads and jobs among some records, for an operator to see whose they are. */
async function showFound(database: Queryable, found: CustomerRecords): Promise<CustomersFound> {
  const rows = await queryNamed<
    Omit<CustomersFound['matches'][number], 'createdAt'> & { readonly createdAt: Date }
  >(
    database,
    `select 'lead' as type, l.id, l.company_id as "companyId", (select p.id from projects p where p.id = any({projects}) and p.lead_id = l.id limit 1) as "projectId",
       l.full_name as name, l.email, l.phone, l.address, l.created_at as "createdAt"
     from leads l where l.id = any({leads})
     union all
     select 'submission', s.lead_id, l.company_id, (select p.id from projects p where p.id = any({projects}) and p.lead_id = l.id limit 1),
       s.full_name, s.email, s.phone, s.address, s.submitted_at
     from lead_submissions s join leads l on l.id = s.lead_id where s.lead_id = any({leads})
     union all
     select 'job', t.id, t.selling_company_id, t.project_id, t.customer ->> 'name', null, t.customer ->> 'phone', ${JOB_ADDRESS}, t.created_at
     from jobs t where t.id = any({jobs})
     order by "companyId", "projectId", "createdAt"`,
    { ...found },
  );
  return { matches: rows.map((row) => ({ ...row, createdAt: formatDateTime(row.createdAt) })) };
}
