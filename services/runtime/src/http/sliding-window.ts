/** The span in which a limit holds. */
export const SPAN_MS = 60_000;

/**
 * Requests are counted in buckets of this length, so that a key never needs more than 3,002 of them whatever its limit is. A
 * bucket counts until all of it has left the span: a limit is never exceeded, and a request may have to wait this much
 * longer than an exact log would have it wait.
 */
export const BUCKET_MS = 20;

/** What a window says about one request; times are milliseconds from now. */
export interface WindowVerdict {
  readonly accepted: boolean;
  readonly remaining: number;
  /** Until the oldest counted request leaves the span; 0 when none is counted. */
  readonly resetMs: number;
  /** Until one more request fits; 0 for an accepted request. */
  readonly waitMs: number;
}

/** The requests of one key within the last 60 seconds. */
export interface SlidingWindow {
  /** Counts a request at an instant (milliseconds) unless it would be more than `limit` in any span; a refused one is not counted. */
  take(now: number, limit: number): WindowVerdict;
  /** What {@link SlidingWindow.take} would say; counts nothing. */
  ask(now: number, limit: number): WindowVerdict;
  /** Takes back a request that was counted at the instant; nothing happens when it has left the span already. */
  giveBack(instant: number): void;
  /** Requests that are certainly within the span before the instant: a bucket counts only while all of it is. */
  atLeast(now: number): number;
  /** Counts a request that was accepted elsewhere. */
  record(now: number): void;
}

/** Makes an empty window. Follows the same rule as the script that counts in Redis, bucket for bucket. */
export function createSlidingWindow(): SlidingWindow {
  let buckets: { readonly number: number; count: number }[] = [];
  let used = 0;

  /** Forgets what has left the span; an instant before the newest bucket counts as that bucket's. */
  function advance(instant: number): number {
    const newest = buckets.at(-1);
    let now = instant;
    if (newest !== undefined && newest.number * BUCKET_MS > instant + SPAN_MS) {
      // The clock was set far back: waiting for it to catch up would lock the key out.
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

  function count(now: number): void {
    const number = Math.floor(now / BUCKET_MS);
    const newest = buckets.at(-1);
    if (newest?.number === number) newest.count += 1;
    else buckets.push({ number, count: 1 });
    used += 1;
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

  /** What is so before the request is counted. */
  function judge(now: number, limit: number): WindowVerdict {
    return used >= limit
      ? { accepted: false, remaining: 0, resetMs: resetMs(now), waitMs: waitMs(now, limit) }
      : { accepted: true, remaining: limit - used, resetMs: resetMs(now), waitMs: 0 };
  }

  return {
    take(instant, limit) {
      const now = advance(instant);
      const verdict = judge(now, limit);
      if (!verdict.accepted) return verdict;
      count(now);
      return { accepted: true, remaining: limit - used, resetMs: resetMs(now), waitMs: 0 };
    },
    ask(instant, limit) {
      return judge(advance(instant), limit);
    },
    giveBack(instant) {
      // A request at an instant before the newest bucket was counted in that one.
      const index = buckets.findIndex(({ number }) => number >= Math.floor(instant / BUCKET_MS));
      const bucket = buckets[index];
      if (bucket === undefined) return;
      bucket.count -= 1;
      used -= 1;
      if (bucket.count === 0) buckets.splice(index, 1);
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

function leavesAt(bucketNumber: number): number {
  return (bucketNumber + 1) * BUCKET_MS + SPAN_MS;
}
