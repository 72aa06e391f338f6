import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@partner/kernel/logger';
import { createDatabase } from '../database/database.js';
import { LockTimeoutError } from '../database/server-failures.js';
import { createPartitions, listPartitions, RetentionBusyError } from '../retention/partitions.js';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';
import { retainedTables } from '../retention/retained-tables.js';
import type { MoveUrls } from './move-connections.js';
import { MOVED_TABLES } from './moved-tables.js';

/** Rows of a default partition may have to be moved and scanned. */
const STATEMENT_MS = 600_000;
const ATTEMPTS = 60;
const PAUSE_MS = 1_000;

/**
 * Creates in the target the partitions of the source that it lacks, so that its retention can drop what a move brings.
 *
 * Throws `LockTimeoutError` or {@link RetentionBusyError} after a minute in which others used a table or kept the partitions.
 */
export async function createMissingPartitions(
  deps: MoveUrls & { readonly logger: Pick<Logger, 'warn'> },
): Promise<void> {
  const open = (url: string) =>
    createDatabase({ url, poolSize: 1, logger: deps.logger, statementMs: STATEMENT_MS });
  const [source, target] = [open(deps.sourceUrl), open(deps.targetUrl)];
  try {
    const moved = new Set(MOVED_TABLES.map(({ name }) => name));
    for (const table of retainedTables(STANDARD_RETENTION).filter(({ name }) => moved.has(name))) {
      const wanted = await listPartitions(source, table);
      await whenFree(() => createPartitions(target, table, wanted, new Date()));
    }
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

async function whenFree(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof LockTimeoutError || error instanceof RetentionBusyError;
      if (!isBusy || attempt === ATTEMPTS) throw error;
    }
    await delay(PAUSE_MS);
  }
}
