import type { Publisher } from '@partner/kernel/amqp/publisher';
import type { Logger } from '@partner/kernel/logger';
import { runForNoRequest } from '@partner/kernel/request-context';
import type { Registry } from 'prom-client';
import type { LeasedDelivery, Releaser } from '../../database/after-commit.js';
import type { Database } from '../../database/database.js';
import { startLoop } from '../../database/start-loop.js';
import { claimDue, endExpiredLeases, findWaiting, sharedSlotsOf } from './claim-due.js';
import { createReleaseMetrics } from './release-metrics.js';
import { publishClaimed, type ReleasedBatch } from './release-batch.js';

/** Largest share of all slots for one subscription: enough for a healthy endpoint, little for one that hangs. */
const SUBSCRIPTION_SHARE = 0.02;
/** Largest share of all slots for one company, however many subscriptions it has. */
const COMPANY_SHARE = 0.25;
/** Milliseconds between polls for retries and expired leases, unless the last claim found a retry: most are not due for minutes. */
const RETRY_POLL_MS = 200;
/** Subscriptions that one claim inspects: its duration grows with their number. */
const SUBSCRIPTIONS_AT_ONCE = 500;
/** Minimum time between two refills. Deliveries that are claimed together cost Postgres far less. */
const REFILL_REST_MS = 20;
const AGAIN_AFTER_FAILURE_MS = 1_000;

/** Dependencies of the scheduler of due deliveries. */
export interface SchedulerOptions {
  readonly database: Pick<Database, 'query'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly metrics: Registry;
  /** Monotonic milliseconds. Paces the attempts during an outage; the database's clock decides which deliveries are due. */
  readonly elapsedMs: () => number;
  /** Milliseconds between two polls for due deliveries when nothing wakes the scheduler. */
  readonly intervalMs: number;
  /** Lease of a released delivery in seconds: its time in the queue and the attempt. */
  readonly leaseSeconds: number;
  /** Maximum number of deliveries that are released at once. */
  readonly batchSize: number;
  /** Slots: maximum number of deliveries in flight at once. A subscription has a fiftieth of them, a company a quarter. */
  readonly inFlight: number;
}

/** Releases due deliveries until it is stopped. */
export interface Scheduler {
  /**
   * Polls at once because deliveries of these subscriptions, or of unknown ones, became due.
   *
   * Named subscriptions do not wait for the claims of another company's backlog.
   */
  readonly wake: (subscriptionIds: readonly string[]) => void;
  /** Claims if deliveries wait, because slots are free. Slots that become free within 20 ms are filled together. */
  readonly refill: () => void;
  /** Releases deliveries that their own transaction has leased. */
  readonly releaser: Releaser;
  /** Stops claiming and waits for the batch in flight. */
  stop(): Promise<void>;
}

/**
 * Starts releasing due deliveries to the dispatcher through the broker, each under a lease.
 *
 * Any number of replicas can run. Waking makes it prompt, polling makes it correct. While the broker is unavailable or the
 * database is down, it tries a single delivery once a second, holds none in memory, and resumes automatically.
 *
 * A delivery to an endpoint with a free slot is leased by the transaction of its event and released right after the commit. For
 * all others two loops claim. One walks all subscriptions with waiting deliveries, the other claims at once only the subscriptions that a
 * commit named. No subscription is in the claims of both at a time, so its cap holds.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { database, publisher, logger } = options;
  const subscriptionCap = subscriptionCapOf(options.inFlight);
  const leaseLimits = {
    leaseSeconds: options.leaseSeconds,
    inFlight: options.inFlight,
    sharedSlots: sharedSlotsOf(options.inFlight),
    subscriptionCap,
    companyCap: shareOf(options.inFlight, COMPANY_SHARE),
  };
  const metrics = createReleaseMetrics(options.metrics, database, leaseLimits);
  let failedAt: number | undefined;
  /** False if the latest walk found nothing and no commit has left a delivery since. */
  let mayWait = true;
  let retriesPolledAt = Number.NEGATIVE_INFINITY;
  /** True if retries were claimed since the latest poll for them: more of them may be due. */
  let hasRetryBacklog = false;
  let scannedUpTo = { pending: '', retry_scheduled: '' };
  const named = new Set<string>();
  const inClaims = new Set<string>();
  const publishingNow = new Set<Promise<void>>();

  /** Visits a bounded number of subscriptions in rotation, so each is served eventually. */
  async function waiting(state: 'pending' | 'retry_scheduled'): Promise<readonly string[]> {
    const ids = await findWaiting(database, {
      state,
      afterId: scannedUpTo[state],
      limit: SUBSCRIPTIONS_AT_ONCE,
    });
    const isEnd = ids.length < SUBSCRIPTIONS_AT_ONCE;
    if (ids.length > 0) mayWait = true;
    scannedUpTo = { ...scannedUpTo, [state]: isEnd ? '' : (ids.at(-1) ?? '') };
    return ids;
  }

  /** Subscriptions with retries only, and expired leases, are polled less often, except for a backlog of due retries. */
  async function subscriptionsToInspect(): Promise<readonly string[]> {
    const now = options.elapsedMs();
    mayWait = false;
    const withFirst = await waiting('pending');
    if (!hasRetryBacklog && now - retriesPolledAt < RETRY_POLL_MS) return withFirst;
    metrics.leaseExpiries.inc(await endExpiredLeases(database));
    retriesPolledAt = now;
    hasRetryBacklog = false;
    return [...new Set([...withFirst, ...(await waiting('retry_scheduled'))])];
  }

  /** A claim is published while the next one is made. The bound of deliveries in flight holds for both. */
  async function release(subscriptionIds: readonly string[]): Promise<'more' | 'idle'> {
    const isOutage = failedAt !== undefined;
    const batchSize = isOutage ? 1 : options.batchSize;
    const claimed = await claim(
      subscriptionIds.filter((id) => !inClaims.has(id)),
      batchSize,
    );
    if (claimed.length === 0) return 'idle';
    if (claimed.some(({ attempt }) => attempt > 1)) hasRetryBacklog = true;
    const publishing = publish(claimed);
    if (isOutage) await publishing;
    return failedAt === undefined && claimed.length === batchSize ? 'more' : 'idle';
  }

  function publish(leased: readonly LeasedDelivery[]): Promise<void> {
    const publishing = runForNoRequest(() =>
      publishClaimed({ database, publisher, logger, metrics }, leased, AGAIN_AFTER_FAILURE_MS),
    )
      .then(settle, fail)
      .finally(() => publishingNow.delete(publishing));
    publishingNow.add(publishing);
    return publishing;
  }

  async function claim(
    subscriptionIds: readonly string[],
    batchSize: number,
  ): Promise<readonly LeasedDelivery[]> {
    for (const id of subscriptionIds) inClaims.add(id);
    try {
      return await claimDue(database, { ...leaseLimits, batchSize, subscriptionIds });
    } finally {
      for (const id of subscriptionIds) inClaims.delete(id);
    }
  }

  function settle({ released, failed, failure }: ReleasedBatch): void {
    if (failed > 0) fail(failure);
    else if (released > 0) {
      if (failedAt !== undefined) logger.info({}, 'deliveries.release_resumed');
      failedAt = undefined;
    }
  }

  function fail(failure: unknown): void {
    if (failedAt === undefined) logger.warn({ err: failure }, 'deliveries.release_failed');
    failedAt = options.elapsedMs();
  }

  const loop = startLoop({
    name: 'deliveries',
    intervalMs: options.intervalMs,
    restMs: REFILL_REST_MS,
    logger,
    metrics: options.metrics,
    async runOnce() {
      const now = options.elapsedMs();
      if (failedAt !== undefined && now - failedAt < AGAIN_AFTER_FAILURE_MS) return 'idle';
      try {
        return await release(await subscriptionsToInspect());
      } catch (error) {
        failedAt = now;
        throw error;
      }
    },
  });

  /** The walking loop finds what this loop cannot claim now, during an outage or while the other loop claims it. */
  const loopOfNamed = startLoop({
    name: 'named_deliveries',
    intervalMs: options.intervalMs,
    logger,
    metrics: options.metrics,
    async runOnce() {
      const ids = [...named].slice(0, SUBSCRIPTIONS_AT_ONCE);
      for (const id of ids) named.delete(id);
      if (ids.length === 0) return 'idle';
      if (failedAt !== undefined || ids.some((id) => inClaims.has(id))) loop.wake();
      if (failedAt === undefined && (await release(ids)) === 'more') loop.wake();
      return named.size > 0 ? 'more' : 'idle';
    },
  });

  return {
    wake(subscriptionIds) {
      mayWait = true;
      for (const id of subscriptionIds) named.add(id);
      if (subscriptionIds.length > 0) loopOfNamed.wake();
      else loop.wake();
    },
    refill() {
      if (mayWait) loop.wakeLater();
    },
    releaser: {
      leaseLimits: () => (failedAt === undefined ? leaseLimits : undefined),
      release: (deliveries) => void publish(deliveries),
    },
    async stop() {
      await Promise.all([loop.stop(), loopOfNamed.stop()]);
      await Promise.all(publishingNow);
    },
  };
}

/** The slots of one subscription out of a total. */
export function subscriptionCapOf(inFlight: number): number {
  return shareOf(inFlight, SUBSCRIPTION_SHARE);
}

function shareOf(inFlight: number, share: number): number {
  return Math.max(1, Math.floor(inFlight * share));
}
