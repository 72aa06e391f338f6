import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { Database, Transaction } from '../database/database.js';
import { type Loop, startLoop } from '../database/start-loop.js';
import { announceNextEntries } from './announce-next-entries.js';

const FAILURE_PAUSE_MS = 5_000;
const LOCK_WAIT_MS = 2_000;

interface Deps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
}

/**
 * Announces journal entries after late changes of accounting links, in steps with a transaction each, until it is stopped.
 *
 * Waking makes it prompt, polling makes it correct. Any number of replicas can run it.
 */
export function startJournalBackfills(
  deps: Deps & {
    readonly logger: Pick<Logger, 'info' | 'warn'>;
    readonly metrics: Registry;
    /** Milliseconds between two polls when nothing wakes it. */
    readonly intervalMs: number;
  },
): Loop {
  return startLoop({
    name: 'journal_backfills',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    metrics: deps.metrics,
    runOnce: async () => ((await stepJournalBackfills(deps)) ? 'more' : 'idle'),
  });
}

/** Takes one step of each backfill, and returns whether there was any. A failing one does not stop the others. */
export async function stepJournalBackfills({ database, clock }: Deps): Promise<boolean> {
  const backfills = await database.query<{ companyId: string }>(
    'select company_id as "companyId" from journal_backfills order by company_id',
  );
  let hasStepped = false;
  const failures: unknown[] = [];
  for (const { companyId } of backfills) {
    try {
      const step = database.transaction((tx) => stepOf(tx, companyId, clock()), {
        lockTimeoutMs: LOCK_WAIT_MS,
      });
      if (await step) hasStepped = true;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return hasStepped;
}

/** Takes a step, unless the company changes at the same time: a change locks the company before its backfill. */
async function stepOf(tx: Transaction, companyId: string, now: Date): Promise<boolean> {
  const company = await tx.query('select from companies where id = $1 for share skip locked', [companyId]);
  return company.length > 0 && announceNextEntries(tx, companyId, now);
}
