import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '@partner/kernel/process/service-error';
import { allowedEvents } from './allowed-events.js';

function eventViolations(...given: Parameters<typeof allowedEvents>) {
  try {
    allowedEvents(...given);
    return [];
  } catch (error) {
    return error instanceof ServiceError ? (error.attributes.details ?? []) : [];
  }
}

describe('allowedEvents', () => {
  test('accepts names and groups of the class [EVENT-8, WEBHOOK-11]', () => {
    expect(eventViolations(['install.status_changed', 'install.*', 'install.test'], 'INSTALLER')).toEqual([]);
    expect(eventViolations(['quote.*', 'project.completed'], 'SALES')).toEqual([]);
    expect(eventViolations(['journal.*'], 'ACCOUNTING')).toEqual([]);
  });

  test('accepts install.test for every class [EVENT-8]', () => {
    for (const companyClass of ['SALES', 'INSTALLER', 'ACCOUNTING'] as const) {
      expect(eventViolations(['install.test'], companyClass)).toEqual([]);
    }
  });

  test.each(['SALES', 'ACCOUNTING'] as const)(
    'rejects install.* for %s companies, which would only receive tests [EVENT-8]',
    (companyClass) => {
      const [violation] = eventViolations(['install.*'], companyClass);
      expect(violation?.path).toBe('events.0');
      expect(violation?.message).toContain('install.test');
      expect(violation?.message).not.toContain('install.*');
    },
  );

  test('reports each disallowed event, and lists the allowed ones [EVENT-5, EVENT-8]', () => {
    const violations = eventViolations(['install.test', 'journal.payout_recorded', 'quote.*'], 'INSTALLER');
    expect(violations.map(({ path }) => path)).toEqual(['events.1', 'events.2']);
    expect(violations[0]?.message).toContain('install.status_changed');
    expect(violations[0]?.message).toContain('install.*');
    expect(violations[0]?.message).not.toContain('journal.');
  });

  test.each(['*', '', 'install', 'install.', 'install.*.x', 'INSTALL.*', '.*', 'constructor', 'nope.*'])(
    'rejects the unknown name %j',
    (pattern) => {
      expect(eventViolations([pattern], 'INSTALLER')).toHaveLength(1);
    },
  );
});
