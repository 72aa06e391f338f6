import { describe, expect, test } from '@jest/globals';
import { expectedVersion } from '@partner/proto-contracts/values/expected-version';
import { occurredAtProblem, statusEventIn } from '@partner/proto-contracts/resources/job/job-writes';
import { leadIn } from '@partner/proto-contracts/resources/lead/lead';
import { pageLimit } from '@partner/proto-contracts/values/page';
import { z } from 'zod';
import { validate } from './validation.js';

const lead = { fullName: 'Ada Quill', email: 'ada@example.com', phone: '555-0100', address: '1 Oak St' };

function violationsOf(schema: z.ZodType, input: unknown): string[] {
  const result = validate(schema, input, 'body');
  return result.valid ? [] : result.violations.map(({ path, message }) => `${path}: ${message}`);
}

describe('validation', () => {
  test.each([
    [{ ...lead, address: 'x' }, 'address: must be at least 3 characters'],
    [{ ...lead, address: undefined }, 'address: is required'],
    [{ ...lead, address: null }, 'address: must be a string, not null'],
    [{ ...lead, fullName: '' }, 'fullName: must not be empty'],
    [{ ...lead, fullName: 'x'.repeat(121) }, 'fullName: must be at most 120 characters'],
    [{ ...lead, email: 'no-address' }, 'email: must be an email address, e.g. ada@example.com'],
    [{ ...lead, smsConsent: 'yes' }, 'smsConsent: must be true or false, not a string'],
    [{ ...lead, fullName: 'Ada\0' }, 'fullName: must not contain the character U+0000'],
    [{ ...lead, fullName: 'Ada \ud800' }, 'fullName: must be well-formed Unicode text'],
    [[], 'body: must be an object, not an array'],
    ['text', 'body: must be an object, not a string'],
    [undefined, 'body: is required'],
  ])('of the lead %j says: %s', (input, violation) => {
    expect(violationsOf(leadIn, input)).toEqual([violation]);
  });

  test('names every invalid field [ERROR-3]', () => {
    expect(violationsOf(leadIn, {})).toEqual([
      'fullName: is required',
      'email: is required',
      'phone: is required',
      'address: is required',
    ]);
  });

  test('accepts valid input, ignores unknown fields, and accepts text beyond the basic plane', () => {
    expect(validate(leadIn, { ...lead, fullName: 'Ada 🏠', role: 'admin' }, 'body')).toEqual({
      valid: true,
      value: { ...lead, fullName: 'Ada 🏠' },
    });
  });

  const event = { status: 'EN_ROUTE', occurredAt: '2026-09-01T12:00:00Z', expectedVersion: 1 };
  const VALUES = {
    'a string': '2',
    'a number': 2,
    'a boolean': true,
    'an object': {},
    'an array': [],
    null: null,
  };
  test.each([
    { type: 'integer', schema: z.int(), wanted: 'an integer', own: 'a number' },
    { type: 'string', schema: z.string(), wanted: 'a string', own: 'a string' },
    { type: 'boolean', schema: z.boolean(), wanted: 'true or false', own: 'a boolean' },
    { type: 'array', schema: z.array(z.string()), wanted: 'an array', own: 'an array' },
    { type: 'object', schema: z.object({}), wanted: 'an object', own: 'an object' },
  ])(
    'of a field of type $type refuses every other type and names both [HTTP-12]',
    ({ schema, wanted, own }) => {
      for (const [given, value] of Object.entries(VALUES)) {
        const violations = given === own ? [] : [`field: must be ${wanted}, not ${given}`];
        expect(violationsOf(z.object({ field: schema }), { field: value })).toEqual(violations);
      }
    },
  );

  test('counts characters, not UTF-16 units [STATUS-1]', () => {
    expect(violationsOf(statusEventIn, { ...event, note: '🏠'.repeat(2_000) })).toEqual([]);
    expect(violationsOf(statusEventIn, { ...event, note: '🏠'.repeat(2_001) })).toEqual([
      'note: must be at most 2000 characters',
    ]);
    expect(violationsOf(leadIn, { ...lead, fullName: '🏠'.repeat(120), address: '🏠'.repeat(500) })).toEqual(
      [],
    );
    expect(violationsOf(leadIn, { ...lead, fullName: '🏠'.repeat(121), address: '🏠🏠' })).toEqual([
      'fullName: must be at most 120 characters',
      'address: must be at least 3 characters',
    ]);
  });

  test('accepts a page limit in decimal digits only [CONTRACTOR-2]', () => {
    const query = z.object({ limit: pageLimit({ default: 50, max: 100 }) });
    expect(validate(query, {}, 'query')).toEqual({ valid: true, value: { limit: 50 } });
    for (const [text, limit] of Object.entries({ '1': 1, '007': 7, '100': 100 })) {
      expect(validate(query, { limit: text }, 'query')).toEqual({ valid: true, value: { limit } });
    }
    for (const limit of ['', '0', '101', '-1', '0x5', '1e1', ' 5 ', '5\n', '5.0', '+5', '٥', ['5'], 5]) {
      expect(violationsOf(query, { limit })).toEqual(['limit: must be an integer from 1 to 100']);
    }
  });

  test('accepts an expected version of any size that is exact in JSON [STATUS-1]', () => {
    const versions = z.object({ expectedVersion });
    for (const version of [1, 2 ** 31, Number.MAX_SAFE_INTEGER]) {
      expect(violationsOf(versions, { expectedVersion: version })).toEqual([]);
    }
    expect(violationsOf(versions, { expectedVersion: 2 ** 53 })).toHaveLength(1);
  });

  test.each([
    ['2026-09-01T12:05:00.000Z', undefined],
    ['2026-09-01T12:05:00.001Z', 'must be at most 5 minutes in the future'],
    ['2026-08-02T12:00:00.000Z', undefined],
    ['2026-08-02T11:59:59.999Z', 'must be at most 30 days in the past'],
  ])('of occurredAt %s at noon says: %s [LIMIT-5, STATUS-1]', (occurredAt, problem) => {
    expect(occurredAtProblem(new Date(occurredAt), new Date('2026-09-01T12:00:00Z'))).toBe(problem);
  });
});
