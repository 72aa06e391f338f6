import { invariant } from '@partner/kernel/invariant';

/** The summary of a list of durations, in their unit. */
export interface Summary {
  readonly samples: number;
  readonly median: number;
  readonly p95: number;
}

/** Summarises durations; there must be at least one. */
export function summarise(durations: readonly number[]): Summary {
  const sorted = [...durations].sort((a, b) => a - b);
  return { samples: sorted.length, median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}

/** Returns the value that a share of the samples, from 0 to 1, does not exceed; there must be at least one. */
export function quantileOf(samples: readonly number[], part: number): number {
  return quantile(
    [...samples].sort((a, b) => a - b),
    part,
  );
}

/** Interpolates linearly between two samples. */
function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  invariant(below !== undefined && above !== undefined, 'there are samples');
  return below + (above - below) * (place - Math.floor(place));
}
