import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@partner/kernel/logger';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { z } from 'zod';
import { isTransient } from '../server-failures.js';
import { MIGRATIONS, type Migration } from './all-migrations.js';

/** One lock number for all migrators of a database: the holder migrates, the others wait. */
const ADVISORY_LOCK = 4_207_311;
const CONNECT_PAUSE_MS = 500;

/** What knex returns: the batch number and the names of the migrations that ran. */
const latestResult = z.tuple([z.number(), z.array(z.string())]);

/** The database could not be migrated; the message is for a person. */
class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/**
 * Migrates the schema to the newest version and returns the names of the migrations that ran.
 *
 * The list is empty if nothing was to do, also on a schema that is newer than this version. Any number of migrators may run at
 * once: one works, the others wait for it. Waits up to `waitMs` for a server that does not respond yet. Throws {@link
 * MigrationError}.
 */
export async function migrateDatabase(options: {
  readonly url: string;
  readonly waitMs: number;
  readonly logger: Pick<Logger, 'info'>;
}): Promise<readonly string[]> {
  const holder = await connectWithin(options.url, options.waitMs, options.logger);
  // The lock ends with its connection. Continuing without it could let two migrators run at once.
  const lost = new Promise<never>((_resolve, reject) => {
    holder.on('error', (error) =>
      reject(new MigrationError(`the connection to Postgres was lost: ${error.message}`)),
    );
  });
  const migrating = migrateUnderLock(holder, options.url);
  try {
    return await Promise.race([migrating, lost]);
  } finally {
    await holder.end().catch(() => undefined);
  }
}

async function migrateUnderLock(holder: pg.Client, url: string): Promise<readonly string[]> {
  await holder.query('select pg_advisory_lock($1)', [ADVISORY_LOCK]);
  const client = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
  try {
    const config: Knex.MigratorConfig = {
      migrationSource: migrationSource(MIGRATIONS),
      // After a rollback the database has migrations of a later version. They are compatible with this one.
      disableMigrationsListValidation: true,
    };
    await freeStaleLock(client, config);
    const [, names] = latestResult.parse(await client.migrate.latest(config));
    return names;
  } catch (error) {
    throw new MigrationError(`the migration failed and was undone: ${messageOf(error)}`, { cause: error });
  } finally {
    await client.destroy();
  }
}

/**
 * Removes knex's own lock row, which a killed migrator leaves behind.
 *
 * Under the advisory lock no other migrator runs, so an existing row is stale.
 */
async function freeStaleLock(client: Knex, config: Knex.MigratorConfig): Promise<void> {
  if (await client.schema.hasTable('knex_migrations_lock'))
    await client.migrate.forceFreeMigrationsLock(config);
}

function migrationSource(migrations: readonly Migration[]): Knex.MigrationSource<Migration> {
  return {
    getMigrations: () => Promise.resolve([...migrations]),
    getMigrationName: ({ name }) => name,
    getMigration: (migration) => Promise.resolve(migration),
  };
}

async function connectWithin(url: string, waitMs: number, logger: Pick<Logger, 'info'>): Promise<pg.Client> {
  const deadline = Date.now() + waitMs;
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      // A wrong password, role or database name is permanent.
      if (!isTransient(error))
        throw new MigrationError(`Postgres refuses the connection: ${messageOf(error)}`, { cause: error });
      if (Date.now() + CONNECT_PAUSE_MS > deadline) {
        throw new MigrationError(`Postgres did not respond within ${waitMs / 1_000} s: ${messageOf(error)}`, {
          cause: error,
        });
      }
      if (attempt === 1) logger.info({ waitMs }, 'migration.waiting_for_database');
    }
    await delay(CONNECT_PAUSE_MS);
  }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
