import type { Publisher } from '@partner/kernel/amqp/publisher';
import type { Logger } from '@partner/kernel/logger';
import type { Registry } from 'prom-client';
import type { Database } from '../../database/database.js';
import { startLoop } from '../../database/start-loop.js';
import { claimDue, type ClaimedDelivery, endExpiredLeases, findWaiting } from './claim-due.js';
import { createReleaseMetrics } from './release-metrics.js';
import { publishClaimed, type ReleasedBatch } from './release-batch.js';

/** The share of all slots that one subscription has at most: enough for a healthy endpoint, little for one that hangs. */
const SUBSCRIPTION_SHARE = 0.02;
/** The share of all slots that one company has at most, however many subscriptions it has. */
const COMPANY_SHARE = 0.25;
/** Retries and leases are minutes and seconds long. */
const LOOK_AT_ALL_MS = 200;
/** Subscriptions that one claim looks at: its time goes with their number. */
const SUBSCRIPTIONS_AT_ONCE = 500;
/**
 * Between claims of a backlog. Deliveries that are claimed together cost the broker, the dispatcher and the record of them far
 * less. With its cap this also limits the rate of an endpoint with a backlog, so that others are not starved of processors.
 */
const REST_MS = 60;
const AGAIN_AFTER_FAILURE_MS = 1_000;

/** What the release of due deliveries works with. */
export interface SchedulerOptions {
  readonly database: Pick<Database, 'query'>;
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
  /** Slots: deliveries in flight at once, at most. A subscription has a fiftieth of them, a company a quarter. */
  readonly inFlight: number;
}

/** Releases due deliveries until it is stopped. */
export interface Scheduler {
  /**
   * Makes it look at once, since deliveries of these subscriptions have become due, or of some that are not known. Those of
   * known ones do not wait for the claims of a backlog that another company has.
   */
  readonly wake: (subscriptionIds: readonly string[]) => void;
  /** Makes it claim soon, since slots are free: those that get free together are filled together. */
  readonly wakeLater: () => void;
  /** Takes no more and waits for the batch in flight. */
  stop(): Promise<void>;
}

/**
 * Starts to give due deliveries to the dispatcher by way of the broker, each under a lease. Any number of replicas can run.
 * Waking makes it prompt, looking at intervals makes it correct. While nothing gets through to the broker, or the database
 * is away, it tries a single delivery once a second, keeps nothing in memory, and goes on by itself afterwards.
 *
 * Two loops claim: one goes through all subscriptions with something waiting, the other takes only those that a commit has
 * just named, at once. No subscription is in the claims of both at a time, so that its cap holds.
 */
export function startScheduler(options: SchedulerOptions): Scheduler {
  const { database, publisher, logger } = options;
  const subscriptionCap = subscriptionCapOf(options.inFlight);
  const metrics = createReleaseMetrics(options.metrics, database, {
    inFlight: options.inFlight,
    subscriptionCap,
  });
  let failedAt: number | undefined;
  let lookedAtAllAt = Number.NEGATIVE_INFINITY;
  let lookedUpTo = { pending: '', retry_scheduled: '' };
  const named = new Set<string>();
  const inClaims = new Set<string>();
  const underWay = new Set<Promise<void>>();

  /** A bounded number of subscriptions, which goes around: with more of them each gets its turn by and by. */
  async function waiting(state: 'pending' | 'retry_scheduled'): Promise<readonly string[]> {
    const ids = await findWaiting(database, {
      state,
      afterId: lookedUpTo[state],
      limit: SUBSCRIPTIONS_AT_ONCE,
    });
    const isEnd = ids.length < SUBSCRIPTIONS_AT_ONCE;
    lookedUpTo = { ...lookedUpTo, [state]: isEnd ? '' : (ids.at(-1) ?? '') };
    return ids;
  }

  /** Subscriptions that have retries alone, and leases that have expired, are looked for less often. */
  async function subscriptionsToLookAt(): Promise<readonly string[]> {
    const now = options.elapsedMs();
    const withFirst = await waiting('pending');
    if (now - lookedAtAllAt < LOOK_AT_ALL_MS) return withFirst;
    metrics.leaseExpiries.inc(await endExpiredLeases(database));
    lookedAtAllAt = now;
    return [...new Set([...withFirst, ...(await waiting('retry_scheduled'))])];
  }

  /** A claim is published while the next one is made; the bound of deliveries in flight holds for both. */
  async function release(subscriptionIds: readonly string[]): Promise<'more' | 'idle'> {
    const isOutage = failedAt !== undefined;
    const batchSize = isOutage ? 1 : options.batchSize;
    const claimed = await claim(
      subscriptionIds.filter((id) => !inClaims.has(id)),
      batchSize,
    );
    if (claimed.length === 0) return 'idle';
    const publishing = publishClaimed(
      { database, publisher, logger, metrics },
      claimed,
      AGAIN_AFTER_FAILURE_MS,
    )
      .then(settle, fail)
      .finally(() => underWay.delete(publishing));
    underWay.add(publishing);
    if (isOutage) await publishing;
    return failedAt === undefined && claimed.length === batchSize ? 'more' : 'idle';
  }

  async function claim(
    subscriptionIds: readonly string[],
    batchSize: number,
  ): Promise<readonly ClaimedDelivery[]> {
    for (const id of subscriptionIds) inClaims.add(id);
    try {
      return await claimDue(database, {
        batchSize,
        leaseSeconds: options.leaseSeconds,
        inFlight: options.inFlight,
        subscriptionCap,
        companyCap: shareOf(options.inFlight, COMPANY_SHARE),
        subscriptionIds,
      });
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
    restMs: REST_MS,
    logger,
    metrics: options.metrics,
    async runOnce() {
      const now = options.elapsedMs();
      if (failedAt !== undefined && now - failedAt < AGAIN_AFTER_FAILURE_MS) return 'idle';
      try {
        return await release(await subscriptionsToLookAt());
      } catch (error) {
        failedAt = now;
        throw error;
      }
    },
  });

  /** What it can not take now, during an outage or since it is in a claim of the other loop, that one finds. */
  const loopOfNamed = startLoop({
    name: 'named_deliveries',
    intervalMs: options.intervalMs,
    logger,
    metrics: options.metrics,
    async runOnce() {
      const ids = [...named].slice(0, SUBSCRIPTIONS_AT_ONCE);
      for (const id of ids) named.delete(id);
      if (ids.length === 0) return 'idle';
      if (failedAt !== undefined || ids.some((id) => inClaims.has(id))) loop.wakeLater();
      if (failedAt === undefined && (await release(ids)) === 'more') loop.wake();
      return named.size > 0 ? 'more' : 'idle';
    },
  });

  return {
    wake(subscriptionIds) {
      for (const id of subscriptionIds) named.add(id);
      if (subscriptionIds.length > 0) loopOfNamed.wake();
      else loop.wake();
    },
    wakeLater: loop.wakeLater,
    async stop() {
      await Promise.all([loop.stop(), loopOfNamed.stop()]);
      await Promise.all(underWay);
    },
  };
}

/** The slots of one subscription, of so many in all. */
export function subscriptionCapOf(inFlight: number): number {
  return shareOf(inFlight, SUBSCRIPTION_SHARE);
}

function shareOf(inFlight: number, share: number): number {
  return Math.max(1, Math.floor(inFlight * share));
}
