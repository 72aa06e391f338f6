import { expect, test } from '@jest/globals';
import { faultScript, NO_FAULTS } from '@partner/proto-contracts/resources/fault-script/fault-script';
import { describeFault, FAULTS, isEmptyScript } from './fault-steps.js';

test('a new fault of each kind is valid and says what it does [SANDBOX-2]', () => {
  const requests = Object.values(FAULTS).map(({ initial }) => initial);
  expect(faultScript.parse({ ...NO_FAULTS, requests }).requests).toEqual(requests);
  expect(requests.map(describeFault)).toEqual([
    '1 request: refused with 429 and retry-after 1. Nothing changes.',
    '1 request: 503. Nothing changes.',
    '1 request: takes effect as usual, with the response 3 s late.',
  ]);
});

test('a lost response says that the request took effect', () => {
  expect(describeFault({ fault: 'server_error', status: 500, when: 'after', times: 2 })).toBe(
    '2 requests: takes effect, but the response is 500. A repeat with the same Idempotency-Key returns the original response.',
  );
});

test('a script is empty without steps and webhook faults', () => {
  expect(isEmptyScript(NO_FAULTS)).toBe(true);
  expect(isEmptyScript({ requests: [], webhooks: { duplicate: true, reorder: false } })).toBe(false);
});
