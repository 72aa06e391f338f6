import { afterAll, beforeAll } from '@jest/globals';
import type { Database } from '../database/database.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

/** A separate database for the test file that imports this. */
export let testDatabase: TestDatabase;
export let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
});

afterAll(() => testDatabase.drop());
