import { type DescMessage, fromJsonString } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { describe, expect, test } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import { exampleOf, missingFields, platformType, wrongIds } from './platform-types.js';

const NOW = new Date('2026-08-26T14:03:00Z');

describe('messages of the platform', () => {
  test('are found by their short and their full names', () => {
    expect(platformType('JobCreated')).toBe(platformType('partner.platform.v1.JobCreated'));
    expect(platformType('JobCreated')).toBeDefined();
    expect(platformType('Money')).toBeUndefined();
    expect(platformType('jobcreated')).toBeUndefined();
  });

  test.each(PLATFORM_MESSAGES.map((type) => [type.name, type] as const))(
    '%s has a valid, complete example',
    (_name, type) => {
      const example = read(type, exampleOf(type, NOW));
      expect(missingFields(type, example)).toEqual([]);
      expect(wrongIds(type, example)).toEqual([]);
      expect(missingFields(type, read(type)).length).toBeGreaterThan(1);
    },
  );

  test('can omit exactly the fields that the contract allows', () => {
    const required = ['jobId', 'status', 'timeZone', 'occurredAt', 'version'];
    expect(missingFields(...of('JobScheduled', {}))).toEqual(required);
    expect(missingFields(...of('MembershipChanged', {}))).toHaveLength(7);
    expect(missingFields(...of('MembershipChanged', {}))).not.toContain('email');
  });

  test('need one field of a oneof, and accept either name of a field', () => {
    const whole = { entry_id: 'jrn_1', company_id: 'cmp_1', occurredAt: NOW.toISOString() };
    expect(missingFields(...of('JournalEntryRecorded', whole))).toEqual([
      'deposit or invoice or payout or adjustment',
    ]);
    expect(missingFields(...of('JournalEntryRecorded', { ...whole, payout: {} }))).toEqual([]);
  });

  test('have ids of the right kind and no empty fields', () => {
    const cmp = 'cmp_01k5dehcxrf6kthv1pz8zz40rk';
    const wrong = of('JobAssigned', { job_id: cmp, version: 1, installerCompanyId: '' });
    expect(wrongIds(...wrong)).toEqual([`jobId ${cmp} is not an id that begins with job_`]);
    expect(missingFields(...wrong)).toEqual(['installerCompanyId', 'occurredAt']);
  });
});

const read = (type: DescMessage, json: object = {}) =>
  reflect(type, fromJsonString(type, JSON.stringify(json)));

function of(name: string, json: object) {
  const type = platformType(name);
  invariant(type, 'it exists');
  return [type, read(type, json)] as const;
}
