import type { Result } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { Counter, Gauge, type Registry } from 'prom-client';
import { z } from 'zod';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { RedisClient } from './redis.js';
import {
  BUCKET_MS,
  createSlidingWindow,
  type SlidingWindow,
  SPAN_MS,
  type WindowVerdict,
} from './sliding-window.js';

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

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeFromRateLimit(key: string, limit: number, spanMs: number, bucketMs: number): Result<unknown, Context>;
  }
}

/**
 * Counts or refuses a request in one round trip. First drops the buckets that have left the span. A list holds one
 * `bucket:before:count` per bucket in order of time. `before` is the number of requests in earlier buckets, so the
 * first and the last bucket give the total. The time is Redis's own.
 */
const TAKE_SCRIPT = `
local key, limit, span, width = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function read(index)
  local entry = redis.call('LINDEX', key, index)
  if not entry then return nil end
  local number, before, count = string.match(entry, '^(%d+):(%d+):(%d+)$')
  return { number = tonumber(number), before = tonumber(before), count = tonumber(count) }
end
local function leavesAt(bucket)
  return (bucket.number + 1) * width + span
end
local function write(bucket)
  return bucket.number .. ':' .. bucket.before .. ':' .. bucket.count
end

local newest = read(-1)
if newest and newest.number * width > now + span then
  redis.call('DEL', key)
  newest = nil
elseif newest then
  now = math.max(now, newest.number * width)
end

local oldest = newest and read(0)
while oldest and leavesAt(oldest) <= now do
  redis.call('LPOP', key)
  oldest = read(0)
end
local used = oldest and newest.before + newest.count - oldest.before or 0

if used >= limit then
  local index, leaving = 0, oldest
  while used - (leaving.before + leaving.count - oldest.before) >= limit do
    index = index + 1
    leaving = read(index)
  end
  return { 0, 0, leavesAt(oldest) - now, leavesAt(leaving) - now }
end

local number = math.floor(now / width)
if oldest and newest.number == number then
  newest.count = newest.count + 1
  redis.call('LSET', key, -1, write(newest))
else
  newest = { number = number, before = oldest and newest.before + newest.count or 0, count = 1 }
  redis.call('RPUSH', key, write(newest))
  oldest = oldest or newest
end
redis.call('PEXPIRE', key, span + width)
return { 1, limit - used - 1, leavesAt(oldest) - now, 0 }
`;

const takeReply = z
  .tuple([z.int(), z.int(), z.int(), z.int()])
  .transform(([accepted, remaining, resetMs, waitMs]): WindowVerdict => {
    return { accepted: accepted === 1, remaining, resetMs, waitMs };
  });

interface KeyCount {
  readonly own: SlidingWindow;
  /** Requests that the other replicas had accepted at the last reply of Redis, and until when they may count. */
  others: { readonly count: number; readonly until: number };
}

const PROBE_INTERVAL_MS = 500;
/** One late response to a probe is not a failure of Redis; it fails no request. */
const PROBES_MISSED_IN_A_ROW = 3;
/** Memory of the local counts of known callers, and of strangers. Beyond it the least recently used count is dropped. */
const LOCAL_BYTES = 16 * 1_048_576;
const LOCAL_AGE_MS = SPAN_MS + BUCKET_MS;

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
  readonly redis: Pick<RedisClient, 'defineCommand' | 'takeFromRateLimit' | 'status'>;
  readonly keyPrefix: string;
  readonly replicas: number;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Registry;
  readonly clock: () => Date;
}): RateLimiter {
  const { redis, logger, metrics } = options;
  redis.defineCommand('takeFromRateLimit', { numberOfKeys: 1, lua: TAKE_SCRIPT });
  const createCounts = () =>
    new LRUCache<string, KeyCount>({
      maxSize: LOCAL_BYTES,
      ttl: LOCAL_AGE_MS,
      sizeCalculation: ({ own }, key) => own.bytes() + 2 * key.length,
    });
  // Two memories, so that a flood from many networks cannot displace the counts of known callers.
  const counts = { known: createCounts(), stranger: createCounts() };
  const { degradedGauge, decisions, losses } = limiterMetrics(metrics, () => {
    for (const memory of Object.values(counts)) memory.purgeStale();
    return counts.known.calculatedSize + counts.stranger.calculatedSize;
  });
  const probes = createSlidingWindow();
  let isDegraded = false;
  let restoredAt: number | undefined;
  let missedProbes = 0;

  const now = () => options.clock().getTime();

  function createCount(): KeyCount {
    return { own: createSlidingWindow(), others: { count: 0, until: 0 } };
  }

  async function takeFromRedis(key: string, limit: number): Promise<WindowVerdict> {
    const reply = await redis.takeFromRateLimit(
      `${options.keyPrefix}rate:{${key}}`,
      limit,
      SPAN_MS,
      BUCKET_MS,
    );
    return takeReply.parse(reply);
  }

  const shareOf = (limit: number) => Math.max(1, Math.floor(limit / options.replicas));

  /** Whether Redis may lack requests that were accepted during its failure. */
  function isJustRestored(): boolean {
    return restoredAt !== undefined && Math.abs(now() - restoredAt) <= SPAN_MS + BUCKET_MS;
  }

  function degrade(cause: unknown): void {
    if (isDegraded) return;
    isDegraded = true;
    degradedGauge.set(1);
    logger.warn({ err: cause }, 'rate_limiter.degraded');
  }

  /** Probes Redis until shutdown: a replica can have no requests, and not every request reaches Redis. */
  function scheduleProbe(): void {
    setTimeout(() => {
      // Closed by this process, which is stopping.
      if (redis.status === 'end') return;
      void probe().then(scheduleProbe);
    }, PROBE_INTERVAL_MS).unref();
  }

  async function probe(): Promise<void> {
    const wasDegraded = isDegraded;
    const startedAt = now();
    try {
      findLoss(probes, Number.MAX_SAFE_INTEGER, await takeFromRedis('probe', Number.MAX_SAFE_INTEGER));
      probes.record(startedAt);
    } catch (error) {
      missedProbes += 1;
      if (missedProbes === PROBES_MISSED_IN_A_ROW) degrade(error);
      return;
    }
    missedProbes = 0;
    // If not degraded, a request has failed since the probe was sent, and the next probe decides.
    if (wasDegraded) restore();
  }

  /**
   * Compares an accepted request with those that this process has counted in Redis before. If Redis has lost some, their room
   * would be given again, so for one more span a request needs room in both counts.
   */
  function findLoss(counted: SlidingWindow, limit: number, shared: WindowVerdict): void {
    if (!shared.accepted || limit - shared.remaining > counted.atLeast(now())) return;
    losses.inc();
    restoredAt = now();
    logger.warn({}, 'rate_limiter.counts_lost');
  }

  function restore(): void {
    isDegraded = false;
    restoredAt = now();
    degradedGauge.set(0);
    logger.info({}, 'rate_limiter.restored');
  }

  function learnOthers(known: KeyCount, limit: number, shared: WindowVerdict): void {
    const others = Math.max(0, limit - shared.remaining - known.own.atLeast(now()));
    known.others = { count: others, until: now() + SPAN_MS + BUCKET_MS };
  }

  /** Returns what Redis accepted, unless this process alone has already accepted as much. */
  function confirmShared(
    count: KeyCount,
    limit: number,
    startedAt: number,
    shared: WindowVerdict,
  ): WindowVerdict {
    const { own } = count;
    findLoss(own, limit, shared);
    if (shared.accepted && own.atLeast(now()) >= limit) return own.take(now(), limit);
    if (shared.accepted) own.record(startedAt);
    learnOthers(count, limit, shared);
    return shared;
  }

  async function takeShared(key: string, limit: number, count: KeyCount): Promise<WindowVerdict> {
    const startedAt = now();
    if (!isJustRestored()) {
      return confirmShared(count, limit, startedAt, await takeFromRedis(key, limit));
    }
    // Count locally first, so that concurrent requests to Redis do not all see the same room.
    const { verdict: local, giveBack } = count.own.reserve(startedAt, shareOf(limit));
    if (!local.accepted) return local;
    try {
      const shared = await takeFromRedis(key, limit);
      if (!shared.accepted) giveBack();
      learnOthers(count, limit, shared);
      return tighter(local, shared);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  function takeLocal(limit: number, { own, others }: KeyCount): WindowVerdict {
    const share = shareOf(limit);
    const room = limit - others.count;
    const othersLeaveMs = others.until - now();
    const isOver = othersLeaveMs <= 0 || othersLeaveMs > SPAN_MS + BUCKET_MS;
    if (room >= share || isOver) return own.take(now(), share);
    const shareWaitMs = Math.max(othersLeaveMs, own.peek(now(), share).waitMs);
    if (room <= 0) return { accepted: false, remaining: 0, resetMs: shareWaitMs, waitMs: shareWaitMs };
    const verdict = own.take(now(), room);
    return { ...verdict, waitMs: Math.min(verdict.waitMs, shareWaitMs) };
  }

  async function decide(
    key: string,
    limit: number,
    count: KeyCount,
  ): Promise<{ verdict: WindowVerdict; counted: string }> {
    if (!isDegraded) {
      try {
        return { verdict: await takeShared(key, limit, count), counted: 'shared' };
      } catch (error) {
        degrade(error);
      }
    }
    return { verdict: takeLocal(limit, count), counted: 'local' };
  }

  scheduleProbe();

  return {
    async take(key, limit, caller = 'known') {
      const memory = counts[caller];
      const count = memory.get(key) ?? createCount();
      memory.set(key, count);
      const { verdict, counted } = await decide(key, limit, count);
      // The cache measures an entry only as it is added. Adding may drop others, and renews the age.
      const present = memory.get(key) ?? count;
      memory.delete(key);
      memory.set(key, present);
      decisions.inc({ outcome: verdict.accepted ? 'accepted' : 'refused', counted });
      return inSeconds(limit, verdict);
    },
  };
}

function limiterMetrics(registry: Registry, localBytes: () => number) {
  const degradedGauge = new Gauge({
    name: 'partner_rate_limiter_degraded',
    help: '1 while requests are counted in this process alone because Redis does not respond',
    registers: [registry],
  });
  degradedGauge.set(0);
  new Gauge({
    name: 'partner_rate_limiter_local_bytes',
    help: 'Memory of the local counts for a failure of Redis',
    registers: [registry],
    collect() {
      this.set(localBytes());
    },
  });
  return {
    degradedGauge,
    decisions: new Counter({
      name: 'partner_rate_limit_decisions_total',
      help: 'Requests checked against a rate limit',
      labelNames: ['outcome', 'counted'] as const,
      registers: [registry],
    }),
    losses: new Counter({
      name: 'partner_rate_limiter_counts_lost_total',
      help: 'Times that Redis had fewer requests than this process had counted there: after a flush, a restart or a fail-over',
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
