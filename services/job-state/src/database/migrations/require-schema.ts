import { RefusedError } from '@partner/kernel/process/wait-for';
import pg from 'pg';
import type { Queryable } from '../database.js';
import { isTransient } from '../server-failures.js';
import { MIGRATIONS } from './all-migrations.js';

/** The database lacks migrations of this version. */
class SchemaMissingError extends Error {
  override readonly name = 'SchemaMissingError';
}

/**
 * Resolves if the database has every migration of this version of the service; it may have newer ones. It runs none. For `waitFor`.
 *
 * Fails as {@link connectionFailure}, or with what is missing.
 */
export async function requireSchema(database: Queryable): Promise<void> {
  const missing = await missingFrom(database).catch((error: unknown) => {
    throw connectionFailure(error);
  });
  if (missing !== undefined)
    throw new SchemaMissingError(`the schema lacks ${missing}: dist/migrate.js has not run`);
}

/** Returns why a connection failed: a {@link RefusedError} for a wrong password, role or database name. */
export function connectionFailure(error: unknown): unknown {
  const failure = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(failure instanceof pg.DatabaseError) || isTransient(failure)) return failure;
  return new RefusedError(`Postgres refuses the connection: ${failure.message}`, { cause: failure });
}

async function missingFrom(database: Queryable): Promise<string | undefined> {
  const [table] = await database.query<{ is_there: boolean }>(
    `select to_regclass('knex_migrations') is not null as is_there`,
  );
  if (table?.is_there !== true) return 'all migrations';
  const rows = await database.query<{ name: string }>('select name from knex_migrations');
  const present = new Set(rows.map(({ name }) => name));
  return MIGRATIONS.map(({ name }) => name).find((name) => !present.has(name));
}
