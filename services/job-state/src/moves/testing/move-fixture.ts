import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { silentLogger } from '@partner/kernel/logger';
import { eventually } from '@partner/test-kit/eventually';
import { fixture, newCustomer } from '../../people/testing/people-fixture.js';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.js';
import { insertCompany } from '../../testing/test-jobs.js';
import type { Database } from '../../database/database.js';
import { moveCompanies, type MoveDeps } from '../move-companies.js';
import { MOVED_TABLES } from '../moved-tables.js';
import { fillTables, type FilledTables } from './fill-tables.js';

/** The database that companies are moved to; `fixture` has them at the beginning of each test. */
export let target: TestDatabase;
/** The seller of `fixture`, its installer and its accounting company. */
export let group: readonly string[];
/** What the seller has, besides customers. */
export let filled: FilledTables;

beforeAll(async () => {
  target = await createTestDatabase();
  const accountingCompanyId = await insertCompany(fixture.database, 'ACCOUNTING');
  group = [fixture.seller, fixture.installer, accountingCompanyId].sort();
  await newCustomer();
  filled = await fillTables(fixture.database, { companyId: fixture.seller, accountingCompanyId });
});

afterEach(async () => {
  await connectionsHaveEnded();
  if ((await companiesIn(target.database)).length > 0) await moveCompanies(wayBack(), group);
});

afterAll(() => target.drop());

/** Dependencies of a move from `fixture` to `target`. */
export const wayThere = (): MoveDeps => ({
  sourceUrl: fixture.url,
  targetUrl: target.url,
  operator: 'olga',
  logger: silentLogger,
  drainMs: 0,
});

/** Dependencies of a move in the other direction. */
export const wayBack = (): MoveDeps => ({ ...wayThere(), sourceUrl: target.url, targetUrl: fixture.url });

/** Resolves once the servers have ended all connections of moves, with their locks; a lost one can take a moment. */
export async function connectionsHaveEnded(): Promise<void> {
  await eventually('the end of the connections of moves', async () => {
    const open = await fixture.database.query(
      `select from pg_stat_activity where application_name = 'move-companies' and datname = any($1)`,
      [[fixture.url, target.url].map((url) => new URL(url).pathname.slice(1))],
    );
    return open.length === 0;
  });
}

/** The companies of the group that a database has. */
export async function companiesIn(database: Database): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(
    'select id from companies where id = any($1) order by id',
    [group],
  );
  return rows.map(({ id }) => id);
}

/** Every row of the group by table, as text; without the numbers that a database gives, and without the records of moves. */
export async function rowsOfGroup(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = MOVED_TABLES.map(async ({ name, where, renumbered }) => {
    const shown = renumbered === undefined ? 't::text' : `(to_jsonb(t) - '${renumbered}')::text`;
    const kept = name === 'audit_entries' ? `and t.action <> 'company.moved'` : '';
    const rows = await database.query<{ row: string }>(
      `select ${shown} as row from ${name} t where ${where.replaceAll('{companies}', '$1')} ${kept} order by 1`,
      [group],
    );
    return [name, rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(tables));
}
