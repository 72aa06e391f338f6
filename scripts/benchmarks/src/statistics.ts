import { invariant } from '@partner/kernel/process/invariant';

export interface Summary {
  readonly samples: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Summarises durations; there must be at least one. */
export function summarise(durations: readonly number[]): Summary {
  const at = (part: number) => quantileOf(durations, part);
  return { samples: durations.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/**
 * Returns the value that a share of the samples, from 0 to 1, does not exceed, linear between two samples; there must be at
 * least one.
 */
export function quantileOf(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  invariant(below !== undefined && above !== undefined, 'there are samples');
  return below + (above - below) * (place - Math.floor(place));
}
