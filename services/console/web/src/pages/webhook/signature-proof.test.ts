import { expect, test } from '@jest/globals';
import { signatureProof } from './signature-proof.js';
import type { TestOutcome } from './test-outcome.js';

const delivered: TestOutcome = { kind: 'delivered', title: '' };
const refused: TestOutcome = {
  kind: 'failed',
  hasResponse: true,
  what: '',
  advice: [],
  seen: null,
  responseBody: null,
};
const silent: TestOutcome = { ...refused, hasResponse: false };

test.each([
  [undefined, undefined, false, undefined],
  [delivered, undefined, true, 'waiting'],
  [delivered, refused, false, 'proven'],
  [delivered, delivered, false, 'unverified'],
  [refused, refused, false, 'failed'],
  [refused, delivered, false, 'failed'],
  [delivered, silent, false, 'unknown'],
  [delivered, undefined, false, 'unknown'],
] as const)(
  'a secret is proven only if its test is accepted and a wrong signature refused: %j, %j [SECRET-10]',
  (valid, wrong, isSending, proof) => {
    expect(signatureProof({ valid, wrong, isSending })).toBe(proof);
  },
);
