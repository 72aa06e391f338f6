import { describe, expect, test } from '@jest/globals';
import type { Attempt } from '../../api/operations.js';
import { outcomeOfTest } from './test-outcome.js';

const attempt = (outcome: Attempt['outcome'], responseStatus: number | null = null) => ({
  outcome,
  responseStatus,
  responseBody: null,
  error: null,
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
    ['timed_out', null, /within 10 seconds/, /firewall/],
    ['tls_failed', null, /TLS/, /certificate/],
    ['connection_failed', null, /Could not connect/, /port 443/],
    ['endpoint_refused', null, /not public/, /DNS/],
    ['rejected', 404, /responded with 404/, /Nothing is at this path/],
    ['rejected', 302, /responded with 302/, /not followed/],
    ['rejected', 401, /responded with 401/, /no login/],
    ['rejected', 400, /responded with 400/, /signatures/],
    ['rejected', 503, /responded with 503/, /See its log/],
  ] as const)('that ended with %s %s has advice', (outcome, status, title, advice) => {
    expect(outcomeOf(outcome, status)).toMatchObject({
      kind: 'failed',
      title: expect.stringMatching(title),
      advice: expect.stringMatching(advice),
    });
  });
});
