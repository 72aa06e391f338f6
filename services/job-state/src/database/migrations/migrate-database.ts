import { failureText, hostsOf, type WaitFor } from '@partner/kernel/process/wait-for';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { z } from 'zod';
import { MIGRATIONS, type Migration } from './all-migrations.js';
import { connectionFailure } from './require-schema.js';

/** One lock number for all migrators of a database: the holder migrates, the others wait. */
const ADVISORY_LOCK = 4_207_311;
const CONNECT_MS = 5_000;

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
 * once: one works, the others wait for it. Waits for a server that does not respond yet. Throws {@link MigrationError}, and what
 * `waitFor` throws.
 */
export async function migrateDatabase(options: {
  readonly url: string;
  readonly waitFor: WaitFor;
}): Promise<readonly string[]> {
  const holder = await options.waitFor(`Postgres at ${hostsOf(options.url)}`, () => connect(options.url));
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
    throw new MigrationError(`the migration failed and was undone: ${failureText(error)}`, { cause: error });
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
    // knex asks for both ways. A rollback of the service needs no migration.
    getMigration: ({ up }) => Promise.resolve({ up, down: () => Promise.resolve() }),
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw connectionFailure(error);
  }
}
