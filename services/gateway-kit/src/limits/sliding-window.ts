/** Span of a limit, in ms. */
export const SPAN_MS = 60_000;

/**
 * Length of a bucket, in ms. A key never needs more than 3,002 buckets, whatever its limit. A bucket counts until all
 * of it has left the span. So a limit is never exceeded, and a request may wait this much longer than with an exact
 * log.
 */
export const BUCKET_MS = 20;

/** Maximum time for which a request counts. */
export const COUNTED_MS = SPAN_MS + BUCKET_MS;

/** Result of a window for one request; times are ms from now. */
export interface WindowVerdict {
  readonly accepted: boolean;
  readonly remaining: number;
  /** Time until the oldest counted request leaves the span; 0 if none is counted. */
  readonly resetMs: number;
  /** Time until one more request fits; 0 for an accepted request. */
  readonly waitMs: number;
}

export interface SlidingWindow {
  /**
   * Counts a request at an instant (ms), unless it would exceed `limit` in some span. A refused request is not counted.
   */
  take(now: number, limit: number): WindowVerdict;
  /** Returns the result of {@link SlidingWindow.take} without counting. */
  peek(now: number, limit: number): WindowVerdict;
  /**
   * Like {@link SlidingWindow.take}, for a request that may still be refused elsewhere. `giveBack` uncounts it; call it
   * at most once.
   */
  reserve(now: number, limit: number): { readonly verdict: WindowVerdict; giveBack(): void };
  /** Lower bound of the requests in the span before the instant: counts only whole buckets. */
  atLeast(now: number): number;
  record(now: number): void;
  bytes(): number;
}

/** Memory of a window without buckets, and of a bucket with the room that arrays keep for growth. */
const WINDOW_BYTES = 1_024;
const BUCKET_BYTES = 32;

/** Creates an empty window. Its buckets are two arrays of numbers: objects would need four times the memory. It follows the same rule as the script in Redis, bucket for bucket. */
export function createSlidingWindow(): SlidingWindow {
  /** Bucket numbers in order of time, and the requests in each bucket. */
  let numbers: number[] = [];
  let counts: number[] = [];
  let used = 0;

  /** Drops the buckets that have left the span. An instant before the newest bucket counts as that bucket's. */
  function advance(instant: number): number {
    const newest = numbers.at(-1);
    let now = instant;
    if (newest !== undefined && newest * BUCKET_MS > instant + SPAN_MS) {
      // The clock was set far back. Waiting for it to catch up would lock the key out.
      numbers = [];
      counts = [];
      used = 0;
    } else if (newest !== undefined) {
      now = Math.max(instant, newest * BUCKET_MS);
    }
    const firstWithin = numbers.findIndex((number) => leavesAt(number) > now);
    const left = firstWithin === -1 ? numbers.length : firstWithin;
    if (left > 0) {
      numbers.splice(0, left);
      for (const count of counts.splice(0, left)) used -= count;
    }
    return now;
  }

  /** Adds requests to a bucket. Removes a bucket without requests. */
  function add(number: number, requests: 1 | -1): void {
    let index = numbers.lastIndexOf(number);
    if (index === -1) {
      // Uncounted after its bucket has left the span.
      if (requests < 0) return;
      index = numbers.push(number) - 1;
    }
    const left = (counts[index] ?? 0) + requests;
    counts[index] = left;
    used += requests;
    if (left === 0) {
      numbers.splice(index, 1);
      counts.splice(index, 1);
    }
  }

  function resetMs(now: number): number {
    const [oldest] = numbers;
    return oldest === undefined ? 0 : leavesAt(oldest) - now;
  }

  function waitMs(now: number, limit: number): number {
    let left = used;
    for (const [index, number] of numbers.entries()) {
      left -= counts[index] ?? 0;
      if (left < limit) return leavesAt(number) - now;
    }
    return 0;
  }

  function judge(now: number, limit: number): WindowVerdict {
    return used >= limit
      ? { accepted: false, remaining: 0, resetMs: resetMs(now), waitMs: waitMs(now, limit) }
      : { accepted: true, remaining: limit - used, resetMs: resetMs(now), waitMs: 0 };
  }

  function reserve(instant: number, limit: number): { verdict: WindowVerdict; giveBack: () => void } {
    const now = advance(instant);
    const verdict = judge(now, limit);
    if (!verdict.accepted) return { verdict, giveBack: () => undefined };
    const number = bucketAt(now);
    add(number, 1);
    const remaining = limit - used;
    return {
      verdict: { accepted: true, remaining, resetMs: resetMs(now), waitMs: 0 },
      giveBack: () => add(number, -1),
    };
  }

  return {
    take: (instant, limit) => reserve(instant, limit).verdict,
    reserve,
    peek(instant, limit) {
      return judge(advance(instant), limit);
    },
    atLeast(instant) {
      const now = advance(instant);
      let certain = used;
      for (const [index, number] of numbers.entries()) {
        if (number * BUCKET_MS + SPAN_MS > now) break;
        certain -= counts[index] ?? 0;
      }
      return certain;
    },
    record(instant) {
      add(bucketAt(advance(instant)), 1);
    },
    bytes: () => WINDOW_BYTES + BUCKET_BYTES * numbers.length,
  };
}

function bucketAt(now: number): number {
  return Math.floor(now / BUCKET_MS);
}

function leavesAt(bucketNumber: number): number {
  return (bucketNumber + 1) * BUCKET_MS + SPAN_MS;
}
