import type { Logger } from '@partner/runtime/logger';
import type { Queryable } from '../database/database.js';
import { type Loop, startLoop } from '../database/start-loop.js';

const BATCH_SIZE = 5_000;
const FAILURE_PAUSE_MS = 60_000;
/** Longer than the platform repeats a message. */
const INBOX_DAYS = 90;

/**
 * Deletes what has passed its time, in batches that lock little: idempotency keys that have expired and message ids of the
 * platform that are 90 days old. Any number of replicas may run it. A key that a request takes anew meanwhile stays.
 */
export function startRetention(deps: {
  readonly database: Queryable;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds between two runs. */
  readonly intervalMs: number;
}): Loop {
  return startLoop({
    name: 'retention',
    intervalMs: deps.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: deps.logger,
    runOnce: async () => {
      const now = deps.clock();
      const keys = await deps.database.query(
        `delete from idempotency_keys where (company_id, key) in
           (select company_id, key from idempotency_keys where expires_at <= $1 order by expires_at limit $2)
         and expires_at <= $1
         returning key`,
        [now, BATCH_SIZE],
      );
      const messages = await deps.database.query(
        `delete from inbox where message_id in
           (select message_id from inbox where received_at < $1 order by received_at limit $2)
         returning message_id`,
        [new Date(now.getTime() - INBOX_DAYS * 24 * 3_600_000), BATCH_SIZE],
      );
      return keys.length === BATCH_SIZE || messages.length === BATCH_SIZE ? 'more' : 'idle';
    },
  });
}
