import { describe, expect, test } from '@jest/globals';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/public-api/console';
import fc from 'fast-check';
import { type DeliveryStanding, settleAttempt } from './settle-attempt.js';

const retry = { baseMs: 60_000, random: () => 0 };
const underWay: DeliveryStanding = { state: 'pending', attempts: 0, leaseId: 'present' };
const failed = { leaseId: 'present', outcome: 'rejected' } as const;

describe('settleAttempt', () => {
  test('schedules a retry after a failure under the present lease', () => {
    expect(settleAttempt(underWay, failed, retry)).toEqual({
      kind: 'retry_scheduled',
      attempts: 1,
      waitMs: 60_000,
    });
  });

  test('dead-letters after the 8th failure', () => {
    const last: DeliveryStanding = { state: 'retry_scheduled', attempts: 7, leaseId: 'present' };
    expect(settleAttempt(last, failed, retry)).toEqual({ kind: 'dead_lettered', attempts: 8 });
  });

  test('leaves a delivery alone after a failure under a former lease', () => {
    expect(settleAttempt(underWay, { ...failed, leaseId: 'former' }, retry)).toEqual({ kind: 'unchanged' });
    expect(settleAttempt({ ...underWay, leaseId: null }, failed, retry)).toEqual({ kind: 'unchanged' });
  });

  test.each(['pending', 'retry_scheduled', 'held'] as const)(
    'takes a late success of a delivery that is %s',
    (state) => {
      const late = { leaseId: 'former', outcome: 'delivered' } as const;
      expect(settleAttempt({ state, attempts: 2, leaseId: null }, late, retry)).toEqual({
        kind: 'delivered',
        attempts: 3,
      });
    },
  );

  test('lets every failure outcome count the same', () => {
    for (const outcome of ATTEMPT_OUTCOMES.filter((name) => name !== 'delivered')) {
      expect(settleAttempt(underWay, { leaseId: 'present', outcome }, retry).kind).toBe('retry_scheduled');
    }
  });

  test('never counts beyond 8 attempts, never leaves a final state, and ends with the first success or the 8th failure', () => {
    const result = fc.record({
      leaseId: fc.constantFrom('present', 'former'),
      outcome: fc.constantFrom(...ATTEMPT_OUTCOMES),
    });
    fc.assert(
      fc.property(fc.array(result, { maxLength: 30 }), (results) => {
        let standing: DeliveryStanding = underWay;
        let failures = 0;
        for (const ended of results) {
          const settlement = settleAttempt(standing, ended, retry);
          const isFinal = standing.state === 'delivered' || standing.state === 'dead_lettered';
          if (!isFinal && ended.outcome !== 'delivered' && ended.leaseId === 'present') failures += 1;
          const expected = isFinal
            ? 'unchanged'
            : ended.outcome === 'delivered'
              ? 'delivered'
              : ended.leaseId === 'former'
                ? 'unchanged'
                : failures === 8
                  ? 'dead_lettered'
                  : 'retry_scheduled';
          expect(settlement.kind).toBe(expected);
          if (settlement.kind === 'unchanged') continue;
          expect(settlement.attempts).toBe(standing.attempts + 1);
          standing = { state: settlement.kind, attempts: settlement.attempts, leaseId: 'present' };
        }
      }),
    );
  });
});
