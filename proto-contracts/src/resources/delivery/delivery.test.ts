import { describe, expect, test } from '@jest/globals';
import { deliveryQuery } from './delivery.js';

describe('the query of a list of deliveries', () => {
  const EARLIER = '2026-09-01T10:00:00Z';
  const LATER = '2026-09-01T10:00:00.001Z';

  test.each([
    [LATER, EARLIER],
    [EARLIER, EARLIER],
  ])('with a span from %s to %s is refused, and the field is named', (from, to) => {
    const { error } = deliveryQuery.safeParse({ from, to });
    expect(error?.issues).toMatchObject([{ path: ['to'], message: 'must be after from' }]);
  });

  test.each([{ from: EARLIER, to: LATER }, { from: LATER }, { to: EARLIER }, {}])(
    'accepts the span %j',
    (span) => {
      expect(deliveryQuery.safeParse(span).success).toBe(true);
    },
  );
});
