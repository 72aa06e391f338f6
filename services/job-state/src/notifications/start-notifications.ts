import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Registry } from 'prom-client';
import type { Database, Transaction } from '../database/database.js';
import { type Loop, startLoop } from '../database/start-loop.js';
import {
  announceCertificateEnds,
  announceDeadLetters,
  announceFailing,
  announceKeyEnds,
  announceRecovered,
  announceSecretEnds,
} from './occasions.js';

/** Notifications that one transaction records. */
const BATCH_SIZE = 100;
const FAILURE_PAUSE_MS = 60_000;

export interface NotificationDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly secretOverlapHours: number;
  readonly clock: () => Date;
}

/**
 * Announces a batch of occasions of each kind, and returns `more` while there may be others.
 *
 * An occasion and its notification are one transaction, and the row that has the occasion is locked. So any number of
 * replicas announce each occasion once. A kind that fails does not stop the others; the first failure is thrown at the end.
 */
export async function announceOccasions(deps: NotificationDeps): Promise<'more' | 'idle'> {
  const now = deps.clock();
  const kinds: readonly ((tx: Transaction) => Promise<number>)[] = [
    // Before the dead letters, which tell that an endpoint without a retry fails.
    (tx) => announceFailing(tx, now, BATCH_SIZE),
    (tx) => announceRecovered(tx, now, BATCH_SIZE),
    (tx) => announceDeadLetters(tx, now, BATCH_SIZE),
    (tx) => announceKeyEnds(tx, now, BATCH_SIZE),
    (tx) => announceSecretEnds(tx, now, BATCH_SIZE, deps.secretOverlapHours),
    (tx) => announceCertificateEnds(tx, now, BATCH_SIZE),
  ];
  const failures: unknown[] = [];
  let next: 'more' | 'idle' = 'idle';
  for (const announce of kinds) {
    try {
      if ((await deps.database.transaction(announce)) === BATCH_SIZE) next = 'more';
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return next;
}

export function startNotifications(
  options: NotificationDeps & {
    readonly logger: Pick<Logger, 'info' | 'warn'>;
    readonly metrics: Registry;
    readonly intervalMs: number;
  },
): Loop {
  return startLoop({
    name: 'notifications',
    intervalMs: options.intervalMs,
    failurePauseMs: FAILURE_PAUSE_MS,
    logger: options.logger,
    metrics: options.metrics,
    runOnce: () => announceOccasions(options),
  });
}
