import type { Publisher } from '@partner/kernel/amqp/publisher';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { runForNoRequest } from '@partner/kernel/telemetry/request-context';
import type { Registry } from 'prom-client';
import type { Database } from '../../database/database.js';
import { startLoop } from '../../database/start-loop.js';
import { limitsOfSlots } from '../deliveries/claim-rule.js';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import type { Releaser } from '../deliveries/releaser.js';
import { claimDue } from './claim-due.js';
import { publishClaimed, type ReleaseDeps } from './release-batch.js';
import { createReleaseMetrics } from './release-metrics.js';
import { trackOutage } from './track-outage.js';
import { SUBSCRIPTIONS_AT_ONCE, walkWaiting } from './walk-waiting.js';

/** Minimum time between two refills. Deliveries that are claimed together cost Postgres far less. */
const REFILL_REST_MS = 20;
/** Without first attempts that wait, polls are this much rarer: commits wake the scheduler, and retries are due in minutes. */
const QUIET_FACTOR = 5;
/** Delay after which a delivery that the broker did not accept is due again. */
const AGAIN_AFTER_FAILURE_MS = 1_000;

export interface SchedulerOptions {
  readonly database: Pick<Database, 'query'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly privateKeys: ReleaseDeps['privateKeys'];
  readonly logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
  readonly metrics: Registry;
  /** Monotonic milliseconds. Paces the attempts during an outage; the database's clock decides which deliveries are due. */
  readonly elapsedMs: () => number;
  readonly intervalMs: number;
  /** Lease of a released delivery in seconds: its time in the queue and the attempt. */
  readonly leaseSeconds: number;
  readonly batchSize: number;
  /** Slots: maximum number of deliveries in flight at once. A subscription has a fiftieth of them, a company a quarter. */
  readonly inFlight: number;
  /** See {@link walkWaiting}. */
  readonly canResultsArrive?: () => boolean;
  /** Returns the leased deliveries that are published now, and ends the leases of the others; absent: all of them. */
  readonly withhold?: (leased: readonly LeasedDelivery[]) => Promise<readonly LeasedDelivery[]>;
}

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
  const { database, publisher, privateKeys, logger, elapsedMs, intervalMs } = options;
  const limits = limitsOfSlots(options.inFlight, options.leaseSeconds);
  const metrics = createReleaseMetrics(options.metrics, database, limits);
  const outage = trackOutage(elapsedMs, logger);
  const quietMs = intervalMs * QUIET_FACTOR;
  const walk = walkWaiting({
    ...{ database, elapsedMs, leaseExpiries: metrics.leaseExpiries },
    retryPollMs: quietMs,
    canResultsArrive: options.canResultsArrive,
  });
  const named = new Set<string>();
  const inClaims = new Set<string>();
  const publishingNow = new Set<Promise<void>>();

  /** A claim is published while the next one is made. The bound of deliveries in flight holds for both. */
  async function release(subscriptionIds: readonly string[]): Promise<'more' | 'idle'> {
    const isOutage = outage.isOn();
    const batchSize = isOutage ? 1 : options.batchSize;
    const claimed = await claim(
      subscriptionIds.filter((id) => !inClaims.has(id)),
      batchSize,
    );
    if (claimed.length === 0) return 'idle';
    if (claimed.some(({ attempt }) => attempt > 1)) walk.expectRetries();
    const publishing = publish(claimed);
    if (isOutage) await publishing;
    return !outage.isOn() && claimed.length === batchSize ? 'more' : 'idle';
  }

  async function claim(
    subscriptionIds: readonly string[],
    batchSize: number,
  ): Promise<readonly LeasedDelivery[]> {
    for (const id of subscriptionIds) inClaims.add(id);
    try {
      return await claimDue(database, { ...limits, batchSize, subscriptionIds });
    } finally {
      for (const id of subscriptionIds) inClaims.delete(id);
    }
  }

  function publish(leased: readonly LeasedDelivery[]): Promise<void> {
    const publishing = runForNoRequest(() => publishOutOf(leased))
      .catch(outage.failed)
      .finally(() => publishingNow.delete(publishing));
    publishingNow.add(publishing);
    return publishing;
  }

  async function publishOutOf(leased: readonly LeasedDelivery[]): Promise<void> {
    const sent = options.withhold === undefined ? leased : await options.withhold(leased);
    const deps = { database, publisher, privateKeys, logger, metrics };
    const { released, failed, failure } = await publishClaimed(deps, sent, AGAIN_AFTER_FAILURE_MS);
    if (failed > 0) outage.failed(failure);
    else if (released > 0) outage.released();
  }

  const loop = startLoop({
    ...{ name: 'deliveries', restMs: REFILL_REST_MS, logger, metrics: options.metrics },
    intervalMs: () => (walk.isBusy() ? intervalMs : quietMs),
    async runOnce() {
      if (outage.rests()) return 'idle';
      const now = elapsedMs();
      try {
        return await release(await walk.next());
      } catch (error) {
        // The loop logs it.
        outage.begin(now);
        throw error;
      }
    },
  });

  /** The walking loop finds what this loop cannot claim now, during an outage or while the other loop claims it. */
  const loopOfNamed = startLoop({
    ...{ name: 'named_deliveries', intervalMs: quietMs, logger, metrics: options.metrics },
    async runOnce() {
      const ids = [...named].slice(0, SUBSCRIPTIONS_AT_ONCE);
      for (const id of ids) named.delete(id);
      if (ids.length === 0) return 'idle';
      if (outage.isOn() || ids.some((id) => inClaims.has(id))) loop.wake();
      if (!outage.isOn() && (await release(ids)) === 'more') loop.wake();
      return named.size > 0 ? 'more' : 'idle';
    },
  });

  return {
    wake(subscriptionIds) {
      walk.expect();
      for (const id of subscriptionIds) named.add(id);
      if (subscriptionIds.length > 0) loopOfNamed.wake();
      else loop.wake();
    },
    refill() {
      if (walk.mayFind()) loop.wakeLater();
    },
    releaser: {
      leaseLimits: () => (outage.isOn() ? undefined : limits),
      release: (deliveries) => void publish(deliveries),
    },
    async stop() {
      await Promise.all([loop.stop(), loopOfNamed.stop()]);
      await Promise.all(publishingNow);
    },
  };
}
