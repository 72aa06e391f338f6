import { describe, expect, test } from '@jest/globals';
import { isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import { httpStatusOf, notFound, ServiceError } from './service-error.js';

describe('a service error', () => {
  test('has a public message and attributes, and a separate private cause', () => {
    const cause = new Error('SELECT 1');
    const error = new ServiceError('stale_version', 'the job has moved on', { currentVersion: 3, cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'ServiceError',
      reason: 'stale_version',
      message: 'the job has moved on',
    });
    expect(error.attributes).toEqual({ currentVersion: 3 });
    expect(error.cause).toBe(cause);
    expect(new ServiceError('not_found', 'no such job')).not.toHaveProperty('cause');
  });

  test("converts to itself, and any other value to internal without the cause's text", () => {
    const known = notFound('job');
    expect(ServiceError.from(known)).toBe(known);
    for (const thrown of [new Error('password=hunter2'), 'hunter2', null, undefined, 42]) {
      const error = ServiceError.from(thrown);
      expect(error.reason).toBe('internal');
      expect(error.message).not.toContain('hunter2');
      // Callers without a key cannot use the second advice.
      expect(error.message).toMatch(/; look whether it took effect, or retry .* where the request had one$/);
      expect(error.cause).toBe(thrown);
    }
  });

  test.each([
    ['invalid_argument', 400],
    ['cursor_invalid', 400],
    ['unauthenticated', 401],
    ['permission_denied', 403],
    ['not_found', 404],
    ['stale_version', 409],
    ['idempotency_mismatch', 409],
    ['idempotency_in_progress', 409],
    ['subscription_limit_reached', 409],
    ['confirmation_required', 403],
    ['password_wrong', 403],
    ['key_not_rotatable', 409],
    ['key_kind_not_allowed', 422],
    ['key_limit_reached', 422],
    ['transition_not_allowed', 422],
    ['schedule_invalid', 422],
    ['technician_not_assignable', 422],
    ['note_limit_reached', 422],
    ['rate_limited', 429],
    ['unavailable', 503],
    ['internal', 500],
  ] as const)('of reason %s has the status %d [ERROR-11]', (reason, httpStatus) => {
    expect(httpStatusOf(reason)).toBe(httpStatus);
  });

  test("distinguishes its reasons from other words, including names of Object's own properties", () => {
    expect(isErrorReason('stale_version')).toBe(true);
    for (const word of ['', 'stale', 'toString', '__proto__', 'constructor'])
      expect(isErrorReason(word)).toBe(false);
  });
});
