import { invariant } from '@partner/kernel/process/invariant';

/** Upper bounds of the slots of a duration histogram, in milliseconds, exclusive. The last slot has none. */
export const DURATION_BOUNDS_MS = [
  25, 50, 100, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000,
] as const;

/** Slots of a histogram: one below each bound, and one from the last bound on. */
export const DURATION_SLOTS = DURATION_BOUNDS_MS.length + 1;

export type DurationHistogram = readonly number[];

/**
 * Returns a percentile of the durations in milliseconds: 0.95 is the p95.
 *
 * It assumes that the durations of a slot are spread evenly. It is undefined without durations. Durations beyond the last bound
 * count as that bound, since an attempt ends there.
 */
export function percentileMs(histogram: DurationHistogram, part: number): number | undefined {
  invariant(histogram.length === DURATION_SLOTS, 'a histogram has all slots');
  invariant(part > 0 && part <= 1, 'a percentile is a part of all durations');
  const rank = part * histogram.reduce((sum, count) => sum + count, 0);
  if (rank === 0) return undefined;
  let below = 0;
  let fromMs = 0;
  for (const [slot, toMs] of DURATION_BOUNDS_MS.entries()) {
    const count = histogram[slot] ?? 0;
    if (below + count >= rank) return Math.round(fromMs + ((toMs - fromMs) * (rank - below)) / count);
    below += count;
    fromMs = toMs;
  }
  return fromMs;
}
