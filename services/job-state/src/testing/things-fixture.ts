import { afterAll, beforeAll } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** A database with one row in a table of ids and names. */
export let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await testDatabase.database.query('create table things (id integer primary key, name text)');
  await testDatabase.database.query(`insert into things values (1, 'one')`);
});

afterAll(() => testDatabase.drop());
