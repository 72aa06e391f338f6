import { describe, expect, test } from '@jest/globals';
import { DURATION_SLOTS, percentileMs } from './duration-histogram.js';

function histogram(counts: Readonly<Record<number, number>>): readonly number[] {
  return Array.from({ length: DURATION_SLOTS }, (_, slot) => counts[slot] ?? 0);
}

describe('a percentile', () => {
  test('without durations is undefined', () => {
    expect(percentileMs(histogram({}), 0.5)).toBeUndefined();
  });

  test.each([
    ['in the middle of the only slot', { 0: 10 }, 0.5, 13],
    ['at the end of a slot', { 0: 10, 1: 10 }, 0.5, 25],
    ['within the slot that the rank falls into', { 2: 10, 5: 10 }, 0.95, 480],
    ['beyond slots that are empty', { 0: 1, 13: 1 }, 1, 10_000],
    ['beyond the last bound', { 0: 1, 14: 99 }, 0.5, 10_000],
    ['of one duration', { 3: 1 }, 0.5, 150],
  ])('is interpolated %s', (_where, counts, part, expected) => {
    expect(percentileMs(histogram(counts), part)).toBe(expected);
  });
});
