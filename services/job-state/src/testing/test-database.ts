import { createHash, randomBytes } from 'node:crypto';
import { silentLogger } from '@partner/kernel/logger';
import { testPostgresUrl } from '@partner/test-kit/backing-services/server-urls';
import pg from 'pg';
import { createDatabase, type Database } from '../database/database.js';
import { migrateDatabase } from '../database/migrations/migrate-database.js';
import { MIGRATIONS } from '../database/migrations/all-migrations.js';

/** One number for all test files that may want to make the template at the same time. */
const TEMPLATE_LOCK = 4_207_312;

/** A database of a test file's own. */
export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the connections and drops the database. */
  drop(): Promise<void>;
}

/** The URL of another database on the server of a URL. */
function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * Makes a migrated, empty database on the server of the tests: a copy of a template that the first test file makes and the
 * others share. The template carries the hash of the migrations, so a changed migration makes a new one.
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
  const database = createDatabase({ url, poolSize: options.poolSize ?? 10, logger: silentLogger });
  return {
    url,
    database,
    async drop() {
      await database.end();
      await dropDatabase(serverUrl, name);
    },
  };
}

/** Makes a database with nothing in it, for tests of the migrations themselves. */
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
  // Under another name until it is whole, so that a run that is killed leaves no half template.
  const building = `${template}_building`;
  await server.query(`drop database if exists ${building} with (force)`);
  await server.query(`create database ${building}`);
  await migrateDatabase({ url: databaseUrl(serverUrl, building), waitMs: 0, logger: silentLogger });
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
