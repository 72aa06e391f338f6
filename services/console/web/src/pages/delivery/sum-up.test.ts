import { expect, test } from '@jest/globals';
import { ATTEMPT_EXAMPLE } from '@partner/proto-contracts/resources/attempt/attempt';
import { PENDING_DELIVERY_EXAMPLE } from '@partner/proto-contracts/resources/delivery/delivery';
import type { Attempt, Delivery } from '../../api/hooks.js';
import { sumUp } from './sum-up.js';

const NOW = new Date('2026-09-03T13:00:00.000Z');

const DELIVERY: Delivery = {
  ...PENDING_DELIVERY_EXAMPLE,
  state: 'retry_scheduled',
  attempts: 2,
  nextAttemptAt: '2026-09-03T13:05:00.000Z',
};

const ATTEMPT: Attempt = {
  ...ATTEMPT_EXAMPLE,
  number: 2,
  startedAt: '2026-09-03T12:59:00.000Z',
  durationMs: 82,
  outcome: 'rejected',
  responseStatus: 404,
  responseHeaders: null,
  responseBody: '',
  error: 'the endpoint responded with 404',
  exchange: null,
};

const whatOf = (given: Partial<Delivery>, attempts: readonly Attempt[] = [ATTEMPT]) =>
  sumUp({ ...DELIVERY, ...given }, attempts, NOW).what;

test('a delivery with a pending retry has the reason and the time', () => {
  expect(whatOf({})).toBe(
    'Your server responded with 404: nothing is at this path. The next attempt starts in 5 minutes. Attempt 2 of 8 failed.',
  );
  expect(whatOf({ nextAttemptAt: null })).toContain('An attempt is in progress');
  expect(whatOf({ nextAttemptAt: '2026-09-03T12:59:30.000Z' })).toContain(
    'The next attempt is due and waits for a free slot of this webhook',
  );
  const limited = sumUp({ ...DELIVERY, nextAttemptAt: '2026-09-03T12:59:30.000Z' }, [], NOW, 5);
  expect(limited.what).toContain('this webhook is limited to 5 per second');
});

test('a finished or waiting delivery is described as such', () => {
  const delivered: Attempt = { ...ATTEMPT, outcome: 'delivered', responseStatus: 204 };
  expect(whatOf({ state: 'delivered' }, [ATTEMPT, delivered])).toBe(
    'Your server accepted it with 204. It took 2 attempts. The response came after 82 ms.',
  );
  expect(whatOf({ state: 'dead_lettered', attempts: 8 })).toContain('Out of retries after 8 attempts');
  expect(whatOf({ state: 'pending' }, [])).toContain('Not sent yet');
  expect(whatOf({ state: 'held' }, [])).toContain('the webhook is paused');
  expect(whatOf({ state: 'cancelled' }, [])).toContain('the webhook was deleted');
  expect(whatOf({ state: 'cancelled', wrongSignature: true })).toContain('signed wrongly on purpose');
  expect(whatOf({ state: 'cancelled', testUrl: 'https://b.example/' })).toContain('a test of another URL');
  expect(whatOf({ state: 'delivered', wrongSignature: true }, [delivered])).toContain('has to refuse it');
});
