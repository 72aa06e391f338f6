import { expect, test } from '@jest/globals';
import { FAULT_LIMITS, faultOfRequest, faultScriptIn, NO_FAULTS } from './fault-script.js';

const { requests } = faultScriptIn.parse({
  requests: [
    { fault: 'rate_limited', retryAfterSeconds: 2, times: 2 },
    { fault: 'server_error' },
    { fault: 'delay', delayMs: 5 },
  ],
});

test('the steps of a script are used in order, each as often as configured, and then there are no faults', () => {
  const faults = [1, 2, 3, 4, 5, 1_000].map((number) => faultOfRequest(requests, number)?.fault);
  expect(faults).toEqual(['rate_limited', 'rate_limited', 'server_error', 'delay', undefined, undefined]);
});

test('an empty script has no faults', () => {
  expect(faultScriptIn.parse({})).toEqual(NO_FAULTS);
  expect(faultOfRequest(NO_FAULTS.requests, 1)).toBeUndefined();
});

test.each([
  ['requests', Array.from({ length: FAULT_LIMITS.steps + 1 }, () => ({ fault: 'rate_limited' }))],
  ['requests', [{ fault: 'rate_limited', times: FAULT_LIMITS.times + 1 }]],
  ['requests', [{ fault: 'rate_limited', times: 0 }]],
  ['requests', [{ fault: 'delay', delayMs: FAULT_LIMITS.delayMs + 1 }]],
  ['requests', [{ fault: 'delay' }]],
  ['requests', [{ fault: 'server_error', status: 502 }]],
  ['webhooks', { duplicate: 'yes' }],
])('a script is bounded: %s %j', (field, value) => {
  expect(faultScriptIn.safeParse({ [field]: value }).success).toBe(false);
});
