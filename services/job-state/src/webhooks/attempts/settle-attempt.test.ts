import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { type DeliveryStanding, type RetrySettings, settleAttempt } from './settle-attempt.js';

const MINUTE_MS = 60_000;
const SIX_HOURS_MS = 6 * 60 * MINUTE_MS;
const earliest = { baseMs: MINUTE_MS, random: () => 0 };
const pending = { state: 'pending', attempts: 0, leaseId: 'present', isTrial: false } as const;

/** How the failure of a delivery that failed this often before is settled. */
function failed(before: number, retry: RetrySettings = earliest, retryAfterSeconds?: number) {
  const ended = { leaseId: 'present', outcome: 'rejected', retryAfterSeconds } as const;
  return settleAttempt({ ...pending, attempts: before }, ended, retry);
}

function backoffMs(...given: Parameters<typeof failed>): number {
  const settlement = failed(...given);
  return settlement.kind === 'retry_scheduled' ? settlement.backoffMs : Number.NaN;
}

const settings = fc.record({
  baseMs: fc.integer({ min: 1, max: 10 * MINUTE_MS }),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }).map((value) => () => value),
});
const before = fc.integer({ min: 0, max: 6 });

describe('a failed attempt', () => {
  test('is retried after 1, 2, 4, 8, 16, 32 and 64 minutes, and the 8th is the last [DELIVERY-1, DELIVERY-8, LIMIT-5]', () => {
    const minutes = [0, 1, 2, 3, 4, 5, 6].map((attempts) => backoffMs(attempts) / MINUTE_MS);
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 64]);
    expect(failed(7, earliest, 30)).toEqual({ kind: 'dead_lettered', attempts: 8 });
  });

  test('is retried no earlier than scheduled, at most 10 % later, and never beyond 6 hours [DELIVERY-8, DELIVERY-14, LIMIT-5]', () => {
    fc.assert(
      fc.property(before, settings, (attempts, given) => {
        const scheduled = Math.min(given.baseMs * 2 ** attempts, SIX_HOURS_MS);
        const wait = backoffMs(attempts, given);
        expect(wait).toBeGreaterThanOrEqual(scheduled);
        expect(wait).toBeLessThanOrEqual(Math.min(Math.ceil(scheduled * 1.1), SIX_HOURS_MS));
      }),
    );
  });

  test('is retried later, up to 6 hours, and never earlier because of retry-after [DELIVERY-14]', () => {
    const asked = fc.integer({ min: 0, max: 2_147_483_647 });
    fc.assert(
      fc.property(before, settings, asked, (attempts, given, seconds) => {
        const wait = backoffMs(attempts, given, seconds);
        expect(wait).toBeGreaterThanOrEqual(backoffMs(attempts, given));
        expect(wait).toBeGreaterThanOrEqual(Math.min(seconds * 1_000, SIX_HOURS_MS));
        expect(wait).toBeLessThanOrEqual(SIX_HOURS_MS);
      }),
    );
  });
});

test.each<[DeliveryStanding['state'], Partial<DeliveryStanding>, object, object]>([
  ['pending', {}, { outcome: 'delivered' }, { kind: 'delivered', attempts: 3 }],
  ['retry_scheduled', {}, {}, { kind: 'retry_scheduled', attempts: 3, endsLease: true }],
  ['held', { leaseId: null }, {}, { kind: 'retry_scheduled', attempts: 3, endsLease: false }],
  ['held', { leaseId: null }, { outcome: 'delivered' }, { kind: 'delivered', attempts: 3 }],
  ['pending', { isTrial: true }, {}, { kind: 'cancelled', attempts: 3 }],
  ['pending', { isTrial: true }, { outcome: 'delivered' }, { kind: 'delivered', attempts: 3 }],
  ['dead_lettered', { attempts: 8 }, {}, { kind: 'unchanged' }],
  ['dead_lettered', { attempts: 8 }, { outcome: 'delivered' }, { kind: 'delivered', attempts: 8 }],
  ['delivered', {}, {}, { kind: 'unchanged' }],
  ['delivered', {}, { outcome: 'delivered' }, { kind: 'unchanged' }],
])('a delivery that is %s, with %j, after an attempt with %j: %j', (state, standing, ended, settlement) => {
  const delivery = { ...pending, attempts: 2, ...standing, state };
  const attempt = { leaseId: 'present', outcome: 'timed_out', ...ended } as const;
  expect(settleAttempt(delivery, attempt, earliest)).toMatchObject(settlement);
});
