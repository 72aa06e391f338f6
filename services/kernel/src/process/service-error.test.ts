import { describe, expect, test } from '@jest/globals';
import { notFound, ServiceError } from './service-error.js';

describe('a service error', () => {
  test("converts to itself, and any other value to internal without the cause's text", () => {
    const known = notFound('job');
    expect(ServiceError.from(known)).toBe(known);
    for (const thrown of [new Error('password=hunter2'), 'hunter2', null, undefined, 42]) {
      const error = ServiceError.from(thrown);
      expect(error.reason).toBe('internal');
      expect(error.message).not.toContain('hunter2');
      // Callers without a key cannot use the second advice.
      expect(error.message).toMatch(/; check whether it took effect, or retry .* if the request had one$/);
      expect(error.cause).toBe(thrown);
    }
  });
});
