import { eventually } from '@partner/test-kit/eventually';
import type { Queryable } from '../database/database.js';

/** Returns the number of statements of the test's database that wait for a lock. */
export async function countLockWaits(database: Queryable): Promise<number> {
  const waiting = await database.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length;
}

/** Waits until at least this many statements wait for a lock; absent: one. */
export async function untilLockWaits(database: Queryable, count = 1): Promise<void> {
  await eventually(
    async () => `${await countLockWaits(database)} instead of ${count} lock waits`,
    async () => (await countLockWaits(database)) >= count,
  );
}
