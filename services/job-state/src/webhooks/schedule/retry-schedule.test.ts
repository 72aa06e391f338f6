import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { retryBackoffMs } from './retry-schedule.js';

const MINUTE_MS = 60_000;
const SIX_HOURS_MS = 6 * 60 * MINUTE_MS;
const earliest = { baseMs: MINUTE_MS, random: () => 0 };

const settings = fc.record({
  baseMs: fc.integer({ min: 1, max: 10 * MINUTE_MS }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((value) => () => value),
});
const failedAttempt = fc.integer({ min: 1, max: 7 });

describe('retryBackoffMs', () => {
  test('waits 1, 2, 4, 8, 16, 32 and 64 minutes, then gives up [DELIVERY-8, LIMIT-5]', () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7].map((attempt) => retryBackoffMs(attempt, undefined, earliest));
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 64].map((count) => count * MINUTE_MS));
    expect(retryBackoffMs(8, undefined, earliest)).toBeUndefined();
    expect(retryBackoffMs(8, 30, earliest)).toBeUndefined();
  });

  test('is never earlier than the schedule, at most 10 % later, and never beyond 6 hours [DELIVERY-8, DELIVERY-14, LIMIT-5]', () => {
    fc.assert(
      fc.property(failedAttempt, settings, (attempt, given) => {
        const scheduled = Math.min(given.baseMs * 2 ** (attempt - 1), SIX_HOURS_MS);
        const wait = retryBackoffMs(attempt, undefined, given);
        expect(wait).toBeGreaterThanOrEqual(scheduled);
        expect(wait).toBeLessThanOrEqual(Math.min(Math.ceil(scheduled * 1.1), SIX_HOURS_MS));
      }),
    );
  });

  test('lets retry-after lengthen the backoff up to 6 hours and never shorten it [DELIVERY-14]', () => {
    fc.assert(
      fc.property(
        failedAttempt,
        settings,
        fc.integer({ min: 0, max: 2_147_483_647 }),
        (attempt, given, seconds) => {
          const wait = retryBackoffMs(attempt, seconds, given);
          expect(wait).toBeGreaterThanOrEqual(retryBackoffMs(attempt, undefined, given) ?? 0);
          expect(wait).toBeGreaterThanOrEqual(Math.min(seconds * 1_000, SIX_HOURS_MS));
          expect(wait).toBeLessThanOrEqual(SIX_HOURS_MS);
        },
      ),
    );
  });
});
