import { LRUCache } from 'lru-cache';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { type CountingRedis, createRedisCount } from './redis-count.js';
import { COUNTED_MS, createSlidingWindow, type SlidingWindow, type WindowVerdict } from './sliding-window.js';

export interface RateLimitVerdict {
  readonly accepted: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until more than `remaining` requests fit; 0 if none is counted. */
  readonly resetSeconds: number;
  /** Whole seconds, at least 1, until one more request fits; 0 for an accepted request. */
  readonly retryAfterSeconds: number;
}

/** Whether a key names an authenticated caller. */
type Caller = 'known' | 'stranger';

export interface RateLimiter {
  /**
   * Counts one request against a key's limit (at least 1), unless it is refused. Never throws. Waits for Redis at most
   * for the client's command timeout. Counts of strangers use separate memory.
   */
  take(key: string, limit: number, caller?: Caller): Promise<RateLimitVerdict>;
}

interface KeyCount {
  readonly key: string;
  readonly own: SlidingWindow;
  /** Requests that the other replicas had accepted at the last reply of Redis, and until when they may count. */
  others: { readonly count: number; readonly until: number };
}

const PROBE_INTERVAL_MS = 500;
/** One late response to a probe is not a failure of Redis; it fails no request. */
const PROBES_MISSED_IN_A_ROW = 3;
/** Memory of the local counts of known callers, and of strangers. Beyond it the least recently used count is dropped. */
const LOCAL_BYTES = 16 * 1_048_576;

/** State of the limiter of one process. */
interface LimiterState {
  readonly replicas: number;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly now: () => number;
  readonly takeFromRedis: ReturnType<typeof createRedisCount>;
  readonly metrics: ReturnType<typeof limiterMetrics>;
  readonly probes: KeyCount;
  missedProbes: number;
  isDegraded: boolean;
  /** When Redis last responded again, or was found to have lost counts. */
  restoredAt: number | undefined;
}

/**
 * Creates the rate limiter of one process. Guarantee: at most N accepted requests in any 60 seconds over all replicas
 * (spec: Limits).
 *
 * If Redis fails, the process switches at once to its own share of each limit: N divided by the replicas, at least 1.
 * If the other replicas had left less of the limit at the last reply of Redis, that lower number applies.
 * `partner_rate_limiter_degraded` shows this state. Requests that the process accepted before still count.
 *
 * The process probes Redis every half second, with or without requests. Three failed probes in a row count as a failure
 * of Redis; the first response restores shared counting. Redis lacks the requests that the replicas accepted during the
 * failure, so for one more span a request needs room in both counts. The same holds after a loss of counts without a failure:
 * a flush, or a fail-over to a replica that lagged. A caller then has at most 2 N in 60 seconds. Even across such a change,
 * this process alone never accepts more than N.
 *
 * The client's settings bound how long a request waits; see `createRedis`. The memory of the local counts is bounded in bytes, and
 * an unused count is dropped after the span.
 */
export function createRateLimiter(options: {
  readonly redis: CountingRedis;
  readonly keyPrefix: string;
  readonly replicas: number;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Registry;
  readonly clock: () => Date;
}): RateLimiter {
  const { redis, replicas, logger } = options;
  // Two memories, so that a flood from many networks cannot displace the counts of known callers.
  const counts = { known: createCounts(), stranger: createCounts() };
  const metrics = limiterMetrics(options.metrics, () => {
    for (const memory of Object.values(counts)) memory.purgeStale();
    return counts.known.calculatedSize + counts.stranger.calculatedSize;
  });
  const state: LimiterState = {
    ...{ replicas, logger, metrics },
    now: () => options.clock().getTime(),
    takeFromRedis: createRedisCount(redis, options.keyPrefix),
    probes: createCount('probe'),
    missedProbes: 0,
    isDegraded: false,
    restoredAt: undefined,
  };
  scheduleProbe(state, redis);

  return {
    async take(key, limit, caller = 'known') {
      const memory = counts[caller];
      const count = memory.get(key) ?? createCount(key);
      memory.set(key, count);
      const verdict = await decide(state, limit, count);
      // The cache measures an entry only as it is added. Adding may drop others, and renews the age.
      const present = memory.get(key) ?? count;
      memory.delete(key);
      memory.set(key, present);
      return inSeconds(limit, verdict);
    },
  };
}

function createCounts(): LRUCache<string, KeyCount> {
  return new LRUCache({
    maxSize: LOCAL_BYTES,
    ttl: COUNTED_MS,
    sizeCalculation: ({ own }, key) => own.bytes() + 2 * key.length,
  });
}

function createCount(key: string): KeyCount {
  return { key, own: createSlidingWindow(), others: { count: 0, until: 0 } };
}

/** Probes Redis until shutdown: a replica can have no requests, and not every request reaches Redis. */
function scheduleProbe(state: LimiterState, redis: CountingRedis): void {
  setTimeout(() => {
    // Closed by this process, which is stopping.
    if (redis.status === 'end') return;
    void probe(state).then(() => scheduleProbe(state, redis));
  }, PROBE_INTERVAL_MS).unref();
}

async function probe(state: LimiterState): Promise<void> {
  const wasDegraded = state.isDegraded;
  try {
    await countInRedis(state, Number.MAX_SAFE_INTEGER, state.probes);
  } catch (error) {
    state.missedProbes += 1;
    if (state.missedProbes === PROBES_MISSED_IN_A_ROW) degrade(state, error);
    return;
  }
  state.missedProbes = 0;
  // If not degraded, a request has failed since the probe was sent, and the next probe decides.
  if (!wasDegraded) return;
  state.isDegraded = false;
  state.restoredAt = state.now();
  state.metrics.degraded.set(0);
  state.logger.info({}, 'rate_limiter.restored');
}

function degrade(state: LimiterState, cause: unknown): void {
  if (state.isDegraded) return;
  state.isDegraded = true;
  state.metrics.degraded.set(1);
  state.logger.warn({ err: cause }, 'rate_limiter.degraded');
}

async function decide(state: LimiterState, limit: number, count: KeyCount): Promise<WindowVerdict> {
  const shared = state.isDegraded ? undefined : await takeShared(state, limit, count);
  const verdict = shared ?? takeLocal(state, limit, count);
  const outcome = verdict.accepted ? 'accepted' : 'refused';
  state.metrics.decisions.inc({ outcome, counted: shared === undefined ? 'local' : 'shared' });
  return verdict;
}

/** Resolves to undefined if Redis does not respond. */
async function takeShared(
  state: LimiterState,
  limit: number,
  count: KeyCount,
): Promise<WindowVerdict | undefined> {
  // Count locally first, so that concurrent requests to Redis do not all see the same room.
  const local = isJustRestored(state) ? count.own.reserve(state.now(), shareOf(state, limit)) : undefined;
  if (local?.verdict.accepted === false) return local.verdict;
  try {
    if (local === undefined) return await countInRedis(state, limit, count);
    const shared = await state.takeFromRedis(count.key, limit);
    if (!shared.accepted) local.giveBack();
    learnOthers(count, limit, shared, state.now());
    return tighter(local.verdict, shared);
  } catch (error) {
    local?.giveBack();
    degrade(state, error);
    return undefined;
  }
}

/** Whether Redis may lack requests that were accepted during its failure. */
function isJustRestored({ restoredAt, now }: LimiterState): boolean {
  return restoredAt !== undefined && Math.abs(now() - restoredAt) <= COUNTED_MS;
}

/**
 * Returns what Redis accepted, unless this process alone has already accepted as much. If Redis has lost requests that this
 * process has counted there before, their room would be given again. So for one more span a request needs room in both counts.
 */
async function countInRedis(state: LimiterState, limit: number, count: KeyCount): Promise<WindowVerdict> {
  const startedAt = state.now();
  const shared = await state.takeFromRedis(count.key, limit);
  const counted = count.own.atLeast(state.now());
  if (shared.accepted && limit - shared.remaining <= counted) {
    state.metrics.losses.inc();
    state.restoredAt = state.now();
    state.logger.warn({}, 'rate_limiter.counts_lost');
  }
  if (shared.accepted && counted >= limit) return count.own.take(state.now(), limit);
  if (shared.accepted) count.own.record(startedAt);
  learnOthers(count, limit, shared, state.now());
  return shared;
}

function learnOthers(count: KeyCount, limit: number, shared: WindowVerdict, now: number): void {
  const others = Math.max(0, limit - shared.remaining - count.own.atLeast(now));
  count.others = { count: others, until: now + COUNTED_MS };
}

function takeLocal(state: LimiterState, limit: number, { own, others }: KeyCount): WindowVerdict {
  const share = shareOf(state, limit);
  const room = limit - others.count;
  const now = state.now();
  const othersLeaveMs = others.until - now;
  const isOver = othersLeaveMs <= 0 || othersLeaveMs > COUNTED_MS;
  if (room >= share || isOver) return own.take(now, share);
  const shareWaitMs = Math.max(othersLeaveMs, own.peek(now, share).waitMs);
  if (room <= 0) return { accepted: false, remaining: 0, resetMs: shareWaitMs, waitMs: shareWaitMs };
  const verdict = own.take(now, room);
  return { ...verdict, waitMs: Math.min(verdict.waitMs, shareWaitMs) };
}

function shareOf({ replicas }: LimiterState, limit: number): number {
  return Math.max(1, Math.floor(limit / replicas));
}

function limiterMetrics(registry: Registry, localBytes: () => number) {
  const degraded = new Gauge({
    name: 'partner_rate_limiter_degraded',
    help: '1 while only this process counts its requests, because Redis does not respond',
    registers: [registry],
  });
  degraded.set(0);
  new Gauge({
    name: 'partner_rate_limiter_local_bytes',
    help: 'Memory of the local counts that are kept in case Redis fails',
    registers: [registry],
    collect() {
      this.set(localBytes());
    },
  });
  return {
    degraded,
    decisions: new Counter({
      name: 'partner_rate_limit_decisions_total',
      help: 'Requests checked against a rate limit',
      labelNames: ['outcome', 'counted'] as const,
      registers: [registry],
    }),
    losses: new Counter({
      name: 'partner_rate_limiter_counts_lost_total',
      help: 'Times that Redis held lower counts than this process had written to it: after a flush, a restart or a failover',
      registers: [registry],
    }),
  };
}

/** Combines two counts: a request needs room in both. */
function tighter(one: WindowVerdict, other: WindowVerdict): WindowVerdict {
  return {
    accepted: one.accepted && other.accepted,
    remaining: Math.min(one.remaining, other.remaining),
    resetMs: Math.max(one.resetMs, other.resetMs),
    waitMs: Math.max(one.waitMs, other.waitMs),
  };
}

export function inSeconds(limit: number, verdict: WindowVerdict): RateLimitVerdict {
  const { accepted, remaining, resetMs, waitMs } = verdict;
  const retryAfterSeconds = accepted ? 0 : Math.max(1, Math.ceil(waitMs / 1_000));
  // If a limit was lowered below the current count, there is no room even when the oldest request leaves.
  const resetSeconds = accepted ? Math.ceil(resetMs / 1_000) : retryAfterSeconds;
  return { accepted, limit, remaining, resetSeconds, retryAfterSeconds };
}
