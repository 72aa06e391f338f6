import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { MOVED_TABLES, STAYING_TABLES } from './moved-tables.js';

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase.drop());

test('every table either moves with its company or is listed as one that stays [MOVE-1]', async () => {
  const tables = await testDatabase.database.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname !~ '^knex_'`,
  );
  expect([...MOVED_TABLES.map(({ name }) => name), ...Object.keys(STAYING_TABLES)].sort()).toEqual(
    tables.map(({ name }) => name).sort(),
  );
});

test('a table comes after those that it refers to [MOVE-1]', async () => {
  const references = await testDatabase.database.query<{ referrer: string; referenced: string }>(
    `select conrelid::regclass::text as referrer, confrelid::regclass::text as referenced from pg_constraint
     where contype = 'f' and conrelid <> confrelid and conparentid = 0`,
  );
  const places = MOVED_TABLES.map(({ name }) => name);
  expect(references.length).toBeGreaterThan(0);
  expect(
    references.filter(({ referrer, referenced }) => places.indexOf(referrer) < places.indexOf(referenced)),
  ).toEqual([]);
});
