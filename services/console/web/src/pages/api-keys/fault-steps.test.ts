import { expect, test } from '@jest/globals';
import { faultScript, NO_FAULTS } from '@partner/proto-contracts/resources/fault-script/fault-script';
import { describeFault, FAULTS } from './fault-steps.js';

test('each fault to choose is valid and says what it does [SANDBOX-2]', () => {
  const requests = Object.values(FAULTS);
  expect(faultScript.parse({ ...NO_FAULTS, requests }).requests).toEqual(requests);
  expect(requests.map(describeFault)).toEqual([
    '1 request: returns 429, retry after 1 s. Nothing is saved.',
    '1 request: returns 503. Nothing is saved.',
    '1 request: is saved, but returns 500. A repeat returns the original response.',
    '1 request: responds 3 s late.',
  ]);
});
