/** Span of a limit, in ms. */
export const SPAN_MS = 60_000;

/**
 * Length of a bucket, in ms. A key never needs more than 3,002 buckets, whatever its limit. A bucket counts until all
 * of it has left the span. So a limit is never exceeded, and a request may wait this much longer than with an exact
 * log.
 */
export const BUCKET_MS = 20;

/** Result of a window for one request; times are ms from now. */
export interface WindowVerdict {
  readonly accepted: boolean;
  readonly remaining: number;
  /** Time until the oldest counted request leaves the span; 0 if none is counted. */
  readonly resetMs: number;
  /** Time until one more request fits; 0 for an accepted request. */
  readonly waitMs: number;
}

/** The requests of one key in the last 60 seconds. */
export interface SlidingWindow {
  /**
   * Counts a request at an instant (ms), unless it would exceed `limit` in some span. A refused request is not counted.
   */
  take(now: number, limit: number): WindowVerdict;
  /** Returns the result of {@link SlidingWindow.take} without counting. */
  ask(now: number, limit: number): WindowVerdict;
  /**
   * Like {@link SlidingWindow.take}, for a request that may still be refused elsewhere. `giveBack` uncounts it; call it
   * at most once.
   */
  reserve(now: number, limit: number): { readonly verdict: WindowVerdict; giveBack(): void };
  /** Lower bound of the requests in the span before the instant: counts only whole buckets. */
  atLeast(now: number): number;
  /** Counts a request that was accepted elsewhere. */
  record(now: number): void;
}

/** Creates an empty window. It follows the same rule as the script in Redis, bucket for bucket. */
export function createSlidingWindow(): SlidingWindow {
  let buckets: Bucket[] = [];
  let used = 0;

  /** Drops the buckets that have left the span. An instant before the newest bucket counts as that bucket's. */
  function advance(instant: number): number {
    const newest = buckets.at(-1);
    let now = instant;
    if (newest !== undefined && newest.number * BUCKET_MS > instant + SPAN_MS) {
      // The clock was set far back. Waiting for it to catch up would lock the key out.
      buckets = [];
      used = 0;
    } else if (newest !== undefined) {
      now = Math.max(instant, newest.number * BUCKET_MS);
    }
    const firstWithin = buckets.findIndex((bucket) => leavesAt(bucket.number) > now);
    const left = buckets.splice(0, firstWithin === -1 ? buckets.length : firstWithin);
    for (const bucket of left) used -= bucket.count;
    return now;
  }

  function count(now: number): Bucket {
    const number = Math.floor(now / BUCKET_MS);
    const newest = buckets.at(-1);
    const bucket = newest?.number === number ? newest : { number, count: 0 };
    if (bucket !== newest) buckets.push(bucket);
    bucket.count += 1;
    used += 1;
    return bucket;
  }

  function uncount(bucket: Bucket): void {
    const index = buckets.indexOf(bucket);
    if (index === -1) return;
    bucket.count -= 1;
    used -= 1;
    if (bucket.count === 0) buckets.splice(index, 1);
  }

  function resetMs(now: number): number {
    const oldest = buckets[0];
    return oldest === undefined ? 0 : leavesAt(oldest.number) - now;
  }

  function waitMs(now: number, limit: number): number {
    let left = used;
    for (const bucket of buckets) {
      left -= bucket.count;
      if (left < limit) return leavesAt(bucket.number) - now;
    }
    return 0;
  }

  /** Returns the result for a request, before it is counted. */
  function judge(now: number, limit: number): WindowVerdict {
    return used >= limit
      ? { accepted: false, remaining: 0, resetMs: resetMs(now), waitMs: waitMs(now, limit) }
      : { accepted: true, remaining: limit - used, resetMs: resetMs(now), waitMs: 0 };
  }

  function reserve(instant: number, limit: number): { verdict: WindowVerdict; giveBack: () => void } {
    const now = advance(instant);
    const verdict = judge(now, limit);
    if (!verdict.accepted) return { verdict, giveBack: () => undefined };
    const bucket = count(now);
    const remaining = limit - used;
    return {
      verdict: { accepted: true, remaining, resetMs: resetMs(now), waitMs: 0 },
      giveBack: () => uncount(bucket),
    };
  }

  return {
    take: (instant, limit) => reserve(instant, limit).verdict,
    reserve,
    ask(instant, limit) {
      return judge(advance(instant), limit);
    },
    atLeast(instant) {
      const now = advance(instant);
      let certain = used;
      for (const bucket of buckets) {
        if (bucket.number * BUCKET_MS + SPAN_MS > now) break;
        certain -= bucket.count;
      }
      return certain;
    },
    record(instant) {
      count(advance(instant));
    },
  };
}

interface Bucket {
  readonly number: number;
  count: number;
}

function leavesAt(bucketNumber: number): number {
  return (bucketNumber + 1) * BUCKET_MS + SPAN_MS;
}
