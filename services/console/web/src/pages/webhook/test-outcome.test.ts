import { describe, expect, test } from '@jest/globals';
import type { Attempt } from '../../api/hooks.js';
import { explainAttempt } from '../delivery/explain-attempt.js';
import { outcomeOfTest, signatureProof, type TestOutcome } from './test-outcome.js';

const attempt = (outcome: Attempt['outcome'], responseStatus: number | null = null) => ({
  outcome,
  responseStatus,
  responseBody: null,
  error: 'the reason',
  exchange: null,
  secretVersion: 1,
  durationMs: 82,
});

const outcomeOf = (outcome: Attempt['outcome'], status: number | null = null) =>
  outcomeOfTest({ delivery: { state: 'retry_scheduled' }, attempts: [attempt(outcome, status)] });

describe('a test delivery', () => {
  test('is pending until the first attempt', () => {
    expect(outcomeOfTest({ delivery: { state: 'pending' }, attempts: [] })).toEqual({ kind: 'waiting' });
  });

  test('with a 2xx has its status and duration', () => {
    expect(outcomeOf('delivered', 204)).toEqual({
      kind: 'delivered',
      title: 'Your server responded with 204 after 82 ms.',
    });
  });

  test('is failed while retries follow, and delivered once one succeeds', () => {
    expect(outcomeOf('timed_out').kind).toBe('failed');
    const later = [attempt('timed_out'), attempt('delivered', 200)];
    expect(outcomeOfTest({ delivery: { state: 'delivered' }, attempts: later })).toEqual({
      kind: 'delivered',
      title: 'Your server responded with 200 after 82 ms.',
    });
  });

  test.each([
    ['rejected', 404, { hasResponse: true, seen: null }],
    ['timed_out', null, { hasResponse: false, seen: 'the reason' }],
  ] as const)('that ended with %s %s is explained like any attempt', (outcome, status, shown) => {
    const explained = explainAttempt(attempt(outcome, status));
    expect(outcomeOf(outcome, status)).toEqual({
      ...explained,
      ...shown,
      kind: 'failed',
      responseBody: null,
    });
  });
});

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
