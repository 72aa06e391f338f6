import type { Publisher } from '@partner/runtime/amqp/publisher';
import type { Logger } from '@partner/runtime/logger';
import type { Registry } from 'prom-client';
import type { Queryable } from '../database/database.js';
import { startLoop } from '../database/start-loop.js';
import { createReleaseMetrics } from './delivery-metrics.js';
import { releaseBatch } from './release-batch.js';

/** What one subscription may have under way of all that may be: enough for a healthy endpoint, little for one that hangs. */
const SUBSCRIPTION_SHARE = 0.05;
const AGAIN_AFTER_FAILURE_MS = 1_000;

/** What the release of due deliveries works with. */
export interface SchedulerOptions {
  readonly database: Queryable;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly metrics: Registry;
  /** Milliseconds that only grow. Paces the attempts of an outage; what is due is decided by the database's clock. */
  readonly elapsedMs: () => number;
  /** Milliseconds between two looks at what is due, when nothing wakes the scheduler. */
  readonly intervalMs: number;
  /** How long a released delivery is left alone, in seconds: its time in the queue and the attempt. */
  readonly leaseSeconds: number;
  /** Deliveries that are released at once, at most. */
  readonly batchSize: number;
  /** Deliveries that are under way at once, at most; one subscription gets a twentieth of it, at least one. */
  readonly inFlight: number;
}

/** Releases due deliveries until it is stopped. */
export interface Scheduler {
  /** Makes it look at once, since something has become due. */
  wake(): void;
  /** Takes no more and waits for the batch in flight. */
  stop(): Promise<void>;
}

/**
 * Starts to give due deliveries to the dispatcher by way of the broker, each under a lease. Any number of replicas can run.
 * Waking makes it prompt, looking at intervals makes it correct. While nothing gets through to the broker, or the database
 * is away, it tries a single delivery once a second, keeps nothing in memory, and goes on by itself afterwards.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { database, publisher, logger } = options;
  const metrics = createReleaseMetrics(options.metrics, database);
  let failedAt: number | undefined;

  async function release(): Promise<'more' | 'idle'> {
    const batchSize = failedAt === undefined ? options.batchSize : 1;
    const { released, failed, failure } = await releaseBatch(
      { database, publisher, logger, metrics },
      {
        batchSize,
        leaseSeconds: options.leaseSeconds,
        inFlight: options.inFlight,
        subscriptionCap: Math.max(1, Math.floor(options.inFlight * SUBSCRIPTION_SHARE)),
        returnAfterMs: AGAIN_AFTER_FAILURE_MS,
      },
    );
    if (released > 0) {
      if (failedAt !== undefined) logger.info({}, 'deliveries.release_resumed');
      failedAt = undefined;
    } else if (failed > 0) {
      if (failedAt === undefined) logger.warn({ err: failure }, 'deliveries.release_failed');
      failedAt = options.elapsedMs();
    }
    return released > 0 && released + failed === batchSize ? 'more' : 'idle';
  }

  return startLoop({
    name: 'deliveries',
    intervalMs: options.intervalMs,
    logger,
    async runOnce() {
      const now = options.elapsedMs();
      if (failedAt !== undefined && now - failedAt < AGAIN_AFTER_FAILURE_MS) return 'idle';
      try {
        return await release();
      } catch (error) {
        failedAt = now;
        throw error;
      }
    },
  });
}
