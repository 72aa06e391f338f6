import { createHash, randomBytes } from 'node:crypto';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { attemptOnce } from '@partner/kernel/testing/attempt-once';
import { testPostgresUrl } from '@partner/test-kit/backing-services/server-urls';
import pg from 'pg';
import { createDatabase, type Database, type DatabaseOptions } from '../database/database.js';
import { migrateDatabase } from '../database/migrations/migrate-database.js';
import { MIGRATIONS } from '../database/migrations/all-migrations.js';

/** One lock number for all test files that create the template concurrently. */
const TEMPLATE_LOCK = 4_207_312;

export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Opens another pool, by default of one connection. */
  connect(options?: Partial<DatabaseOptions>): Database;
  drop(): Promise<void>;
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Creates a migrated, empty database on the test server.
 *
 * It copies a template that the first test file creates and the others share. The template's name has the hash of the
 * migrations, so a changed migration creates a new one.
 */
export async function createTestDatabase(
  options: { readonly poolSize?: number } = {},
): Promise<TestDatabase> {
  const serverUrl = testPostgresUrl();
  const name = `job_state_test_${randomBytes(8).toString('hex')}`;
  await withServer(serverUrl, async (server) => {
    await server.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const template = await ensureTemplate(server, serverUrl);
    await server.query(`create database ${name} template ${template}`);
  });
  const url = databaseUrl(serverUrl, name);
  const opened: Database[] = [];
  const connect = (more: Partial<DatabaseOptions> = {}) => {
    const database = createDatabase({ url, poolSize: 1, logger: silentLogger, ...more });
    opened.push(database);
    return database;
  };
  return {
    url,
    database: connect({ poolSize: options.poolSize ?? 10 }),
    connect,
    async drop() {
      await Promise.all(opened.map((database) => database.end()));
      await dropDatabase(serverUrl, name);
    },
  };
}

/** Creates an empty database, for tests of the migrations themselves. */
export async function createBareDatabase(): Promise<{
  readonly url: string;
  readonly drop: () => Promise<void>;
}> {
  const serverUrl = testPostgresUrl();
  const name = `job_state_test_${randomBytes(8).toString('hex')}`;
  await withServer(serverUrl, (server) => server.query(`create database ${name}`));
  return { url: databaseUrl(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

async function ensureTemplate(server: pg.Client, serverUrl: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, up } of MIGRATIONS) hash.update(name).update(String(up));
  const template = `job_state_template_${hash.digest('hex').slice(0, 16)}`;
  const known = await server.query('select 1 from pg_database where datname = $1', [template]);
  if (known.rowCount === 1) return template;
  // It has another name until it is complete, so that a killed run leaves no partial template.
  const building = `${template}_building`;
  await server.query(`drop database if exists ${building} with (force)`);
  await server.query(`create database ${building}`);
  await migrateDatabase({ url: databaseUrl(serverUrl, building), waitFor: attemptOnce });
  await server.query(`alter database ${building} rename to ${template}`);
  return template;
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withServer(serverUrl, (server) => server.query(`drop database if exists ${name} with (force)`));
}

async function withServer<T>(url: string, work: (server: pg.Client) => Promise<T>): Promise<T> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}
