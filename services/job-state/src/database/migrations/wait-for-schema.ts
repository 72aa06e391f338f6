import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@partner/kernel/logger';
import { MIGRATIONS } from './all-migrations.js';
import type { Queryable } from '../database.js';

/**
 * Waits until the database has every migration of this version of the service; it may have newer ones.
 *
 * It never runs a migration and never gives up: a database that is down or not migrated yet keeps the service unready, not
 * stopped.
 */
export async function waitForSchema(
  database: Queryable,
  options: { readonly logger: Pick<Logger, 'info'>; readonly pauseMs: number },
): Promise<void> {
  let reported: string | undefined;
  for (;;) {
    const missing = await missingFrom(database);
    if (missing === undefined) return;
    if (missing !== reported) options.logger.info({ missing }, 'schema.waiting');
    reported = missing;
    await delay(options.pauseMs);
  }
}

async function missingFrom(database: Queryable): Promise<string | undefined> {
  try {
    const [table] = await database.query<{ is_there: boolean }>(
      `select to_regclass('knex_migrations') is not null as is_there`,
    );
    if (table?.is_there !== true) return 'all migrations';
    const rows = await database.query<{ name: string }>('select name from knex_migrations');
    const present = new Set(rows.map(({ name }) => name));
    return MIGRATIONS.map(({ name }) => name).find((name) => !present.has(name));
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return `a response of Postgres: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}
