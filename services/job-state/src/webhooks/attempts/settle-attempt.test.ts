import { describe, expect, test } from '@jest/globals';
import { ATTEMPT_OUTCOMES } from '@partner/proto-contracts/resources/attempt/attempt';
import { fc } from '@partner/test-kit/fast-check';
import { type DeliveryStanding, settleAttempt } from './settle-attempt.js';

const retry = { baseMs: 60_000, random: () => 0 };
const underWay: DeliveryStanding = {
  state: 'pending',
  attempts: 0,
  leaseId: 'present',
  isTrial: false,
};

describe('settleAttempt', () => {
  test.each(['pending', 'retry_scheduled', 'held'] as const)(
    'accepts a late success of a delivery that is %s',
    (state) => {
      const late = { leaseId: 'former', outcome: 'delivered' } as const;
      expect(settleAttempt({ state, attempts: 2, leaseId: null, isTrial: false }, late, retry)).toEqual({
        kind: 'delivered',
        attempts: 3,
      });
    },
  );

  test('counts each recorded attempt once up to 8, and finishes with the first success or the 8th failure [DELIVERY-1, DELIVERY-8]', () => {
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
          const isDelivered = ended.outcome === 'delivered';
          if (standing.state === 'delivered' || (standing.state === 'dead_lettered' && !isDelivered)) {
            expect(settlement).toEqual({ kind: 'unchanged' });
            continue;
          }
          if (!isDelivered) failures += 1;
          expect(settlement).toMatchObject({
            kind: isDelivered ? 'delivered' : failures === 8 ? 'dead_lettered' : 'retry_scheduled',
            attempts: Math.min(8, failures + (isDelivered ? 1 : 0)),
          });
          if (settlement.kind === 'unchanged') continue;
          if (settlement.kind === 'retry_scheduled') {
            expect(settlement.endsLease).toBe(ended.leaseId === 'present');
            expect(settlement.backoffMs).toBe(60_000 * 2 ** (failures - 1));
          }
          standing = {
            state: settlement.kind,
            attempts: settlement.attempts,
            leaseId: 'present',
            isTrial: false,
          };
        }
      }),
    );
  });
});
