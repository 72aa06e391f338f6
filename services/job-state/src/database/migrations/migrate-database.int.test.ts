import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '@partner/kernel/logger';
import pg from 'pg';
import { MIGRATIONS } from './all-migrations.js';
import { createBareDatabase } from '../../testing/test-database.js';
import { createDatabase } from '../database.js';
import { migrateDatabase } from './migrate-database.js';
import { waitForSchema } from './wait-for-schema.js';

const ALL = MIGRATIONS.map(({ name }) => name);

let bare: { readonly url: string; readonly drop: () => Promise<void> };

beforeEach(async () => {
  bare = await createBareDatabase();
});

afterEach(() => bare.drop());

const migrate = () => migrateDatabase({ url: bare.url, waitMs: 0, logger: silentLogger });

async function run(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: bare.url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

describe('the migrator', () => {
  test('migrates an empty database to the newest schema, and has nothing to do the second time', async () => {
    expect(await migrate()).toEqual(ALL);
    expect(await migrate()).toEqual([]);
  });

  test('can be started twenty times concurrently: each migration runs once and every migrator succeeds', async () => {
    const ran = await Promise.all(Array.from({ length: 20 }, migrate));
    expect(ran.flat()).toEqual(ALL);
    const applied = await run('select name from knex_migrations order by id');
    expect(applied.rows).toEqual(ALL.map((name) => ({ name })));
  });

  test('resumes after a migrator that was killed while it held the lock', async () => {
    await run(
      `create table knex_migrations (id serial primary key, name varchar(255), batch integer, migration_time timestamptz);
       create table knex_migrations_lock (index serial primary key, is_locked integer);
       insert into knex_migrations_lock (is_locked) values (1)`,
    );
    expect(await migrate()).toEqual(ALL);
  });

  test('has nothing to do on a newer schema, as after a rollback', async () => {
    await migrate();
    await run(`insert into knex_migrations (name, batch, migration_time) values ('9999-later', 2, now())`);
    expect(await migrate()).toEqual([]);
  });

  test('reports in one message why a database is unreachable or does not respond', async () => {
    const missing = new URL(bare.url);
    missing.pathname = '/there_is_none';
    await expect(
      migrateDatabase({ url: missing.href, waitMs: 60_000, logger: silentLogger }),
    ).rejects.toThrow('Postgres refuses the connection: database "there_is_none" does not exist');
    await expect(
      migrateDatabase({ url: 'postgres://unknown@127.0.0.1:1/none', waitMs: 0, logger: silentLogger }),
    ).rejects.toThrow(/^Postgres did not respond within 0 s: .*ECONNREFUSED/);
  });
});

describe('a service that starts', () => {
  test('waits for the schema and continues automatically once it exists', async () => {
    const database = createDatabase({ url: bare.url, poolSize: 1, logger: silentLogger });
    try {
      const missing: unknown[] = [];
      const firstReport = new Promise<void>((resolve) => {
        const logger = {
          info: (fields: unknown) => {
            missing.push(fields);
            resolve();
          },
        };
        void waitForSchema(database, { logger, pauseMs: 5 }).then(() => missing.push('ready'));
      });
      await firstReport;
      expect(missing).toEqual([{ missing: 'all migrations' }]);
      await migrate();
      await waitForSchema(database, { logger: silentLogger, pauseMs: 5 });
      while (missing.at(-1) !== 'ready') await database.query('select 1');
    } finally {
      await database.end();
    }
  });

  test('accepts a newer schema', async () => {
    await migrate();
    await run(`insert into knex_migrations (name, batch, migration_time) values ('9999-later', 2, now())`);
    const database = createDatabase({ url: bare.url, poolSize: 1, logger: silentLogger });
    await expect(waitForSchema(database, { logger: silentLogger, pauseMs: 5 })).resolves.toBeUndefined();
    await database.end();
  });
});
