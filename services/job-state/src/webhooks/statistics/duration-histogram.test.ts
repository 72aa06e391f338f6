import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { DURATION_BOUNDS_MS, DURATION_SLOTS, percentileMs } from './duration-histogram.js';

/** A histogram with these counts in these slots. */
function histogram(counts: Readonly<Record<number, number>>): readonly number[] {
  return Array.from({ length: DURATION_SLOTS }, (_, slot) => counts[slot] ?? 0);
}

/** The slot as the database finds it: the number of bounds that a duration has reached. */
const slotOf = (ms: number) => DURATION_BOUNDS_MS.filter((bound) => bound <= ms).length;

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

  test('is always in the slot of its rank, and never decreases with a larger share [CONSOLE-7]', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 9_999 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(durations, (given) => {
        const sorted = [...given].sort((a, b) => a - b);
        const counts: Record<number, number> = {};
        for (const ms of sorted) counts[slotOf(ms)] = (counts[slotOf(ms)] ?? 0) + 1;
        const parts = [0.01, 0.25, 0.5, 0.9, 0.95, 1];
        const found = parts.map((part) => percentileMs(histogram(counts), part) ?? -1);
        expect(found).toEqual([...found].sort((a, b) => a - b));
        for (const [index, part] of parts.entries()) {
          const slot = slotOf(sorted[Math.ceil(part * sorted.length) - 1] ?? 0);
          const [from, to] = [DURATION_BOUNDS_MS[slot - 1] ?? 0, DURATION_BOUNDS_MS[slot] ?? Infinity];
          expect(found[index]).toBeGreaterThanOrEqual(from);
          expect(found[index]).toBeLessThanOrEqual(to);
        }
      }),
    );
  });
});
