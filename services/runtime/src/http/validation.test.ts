import { describe, expect, test } from '@jest/globals';
import { statusEventIn } from '@partner/proto-contracts/public-api/installer-job';
import { leadIn } from '@partner/proto-contracts/public-api/lead';
import { z } from 'zod';
import { invalidArgument, validate } from './validation.js';

const lead = { fullName: 'Ada Quill', email: 'ada@example.com', phone: '555-0100', address: '1 Oak St' };

function faultsOf(schema: z.ZodType, input: unknown): string[] {
  const result = validate(schema, input, 'body');
  return result.valid ? [] : result.violations.map(({ path, message }) => `${path}: ${message}`);
}

describe('validation', () => {
  test.each([
    [{ ...lead, address: 'x' }, 'address: must be at least 3 characters'],
    [{ ...lead, address: undefined }, 'address: is required'],
    [{ ...lead, address: null }, 'address: must be a string'],
    [{ ...lead, fullName: '' }, 'fullName: must not be empty'],
    [{ ...lead, fullName: 'x'.repeat(121) }, 'fullName: must be at most 120 characters'],
    [{ ...lead, email: 'nobody' }, 'email: must be an email address'],
    [{ ...lead, smsConsent: 'yes' }, 'smsConsent: must be true or false'],
    [{ ...lead, fullName: 'Ada\0' }, 'fullName: must not contain the character U+0000'],
    [{ ...lead, fullName: 'Ada \ud800' }, 'fullName: must be well-formed Unicode text'],
    [[], 'body: must be an object'],
    ['text', 'body: must be an object'],
    [undefined, 'body: is required'],
  ])('of the lead %j says: %s', (input, fault) => {
    expect(faultsOf(leadIn, input)).toEqual([fault]);
  });

  test('names every field at fault', () => {
    expect(faultsOf(leadIn, {})).toEqual([
      'fullName: is required',
      'email: is required',
      'phone: is required',
      'address: is required',
    ]);
  });

  test('takes what is right, ignores unknown fields, and takes text beyond the basic plane', () => {
    expect(validate(leadIn, { ...lead, fullName: 'Ada 🏠', role: 'admin' }, 'body')).toEqual({
      valid: true,
      value: { ...lead, fullName: 'Ada 🏠' },
    });
  });

  const event = { status: 'EN_ROUTE', occurredAt: '2026-09-01T12:00:00Z', expectedVersion: 1 };
  test.each([
    [
      { ...event, status: 'CANCELLED' },
      'status: must be one of ACKNOWLEDGED, EN_ROUTE, ON_SITE, BLOCKED, IN_PROGRESS, COMPLETE',
    ],
    [{ ...event, status: undefined }, 'status: is required'],
    [{ ...event, expectedVersion: 0 }, 'expectedVersion: must be at least 1'],
    [{ ...event, expectedVersion: 1.5 }, 'expectedVersion: must be an integer'],
    [{ ...event, expectedVersion: '1' }, 'expectedVersion: must be a number'],
    [{ ...event, status: 'BLOCKED' }, 'blockerCode: is required when status is BLOCKED'],
  ])('of the status event %j says: %s', (input, fault) => {
    expect(faultsOf(statusEventIn, input)).toEqual([fault]);
  });

  test('names the place inside lists', () => {
    const schema = z.object({ membershipIds: z.array(z.string()).max(2) });
    expect(faultsOf(schema, { membershipIds: ['a', 2] })).toEqual(['membershipIds.1: must be a string']);
    expect(faultsOf(schema, { membershipIds: ['a', 'b', 'c'] })).toEqual([
      'membershipIds: must have at most 2 items',
    ]);
  });

  test('turns into one failure whose message names the first field', () => {
    const violations = [
      { path: 'phone', message: 'is required' },
      { path: 'address', message: 'is required' },
    ];
    const error = invalidArgument(violations);
    expect(error).toMatchObject({ reason: 'invalid_argument', attributes: { details: violations } });
    expect(error.message).toBe('phone: is required');
  });
});
