import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { attemptOnce } from '@partner/kernel/testing/attempt-once';
import { RefusedError } from '@partner/kernel/process/wait-for';
import pg from 'pg';
import { MIGRATIONS } from './all-migrations.js';
import { createBareDatabase } from '../../testing/test-database.js';
import { createDatabase } from '../database.js';
import { migrateDatabase } from './migrate-database.js';
import { requireSchema } from './require-schema.js';

const ALL = MIGRATIONS.map(({ name }) => name);

let bare: { readonly url: string; readonly drop: () => Promise<void> };

beforeEach(async () => {
  bare = await createBareDatabase();
});

afterEach(() => bare.drop());

const migrate = () => migrateDatabase({ url: bare.url, waitFor: attemptOnce });

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
  test('migrates an empty database to the schema that a service needs, once, and leaves a newer one as it is', async () => {
    const database = createDatabase({ url: bare.url, poolSize: 1, logger: silentLogger });
    await expect(requireSchema(database)).rejects.toThrow('the schema lacks all migrations');
    expect(await migrate()).toEqual(ALL);
    expect(await migrate()).toEqual([]);
    await expect(requireSchema(database)).resolves.toBeUndefined();
    await run(`insert into knex_migrations (name, batch, migration_time) values ('9999-later', 2, now())`);
    expect(await migrate()).toEqual([]);
    await expect(requireSchema(database)).resolves.toBeUndefined();
    const newest = ALL.at(-1);
    await run(`delete from knex_migrations where name = '${newest}'`);
    await expect(requireSchema(database)).rejects.toThrow(`the schema lacks ${newest}`);
    await database.end();
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

  test('a database that does not exist is a refusal, and a server that is not there is none', async () => {
    const missing = new URL(bare.url);
    missing.pathname = '/there_is_none';
    await expect(migrateDatabase({ url: missing.href, waitFor: attemptOnce })).rejects.toEqual(
      new RefusedError('Postgres refuses the connection: database "there_is_none" does not exist'),
    );
    const absent = migrateDatabase({ url: 'postgres://unknown@127.0.0.1:1/none', waitFor: attemptOnce });
    await expect(absent).rejects.not.toBeInstanceOf(RefusedError);
    await expect(absent).rejects.toThrow('ECONNREFUSED');
  });
});
