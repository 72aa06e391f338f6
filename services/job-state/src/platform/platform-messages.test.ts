import { describe, expect, test } from '@jest/globals';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { newId } from '@partner/runtime/ids';
import { jobAssignedMessage, jobCreatedMessage, TEST_NOW } from '../testing/test-jobs.js';
import { readPlatformMessage } from './platform-messages.js';

describe('a message of the platform', () => {
  test('that is whole is read', () => {
    const jobId = newId('job');
    const sellingCompanyId = newId('cmp');
    const { type, body } = jobCreatedMessage({ jobId, sellingCompanyId });
    expect(readPlatformMessage(type, body, TEST_NOW)).toMatchObject({
      kind: 'job_created',
      command: {
        jobId,
        sellingCompanyId,
        scope: { equipment: [{ model: 'HP-36K' }], accessories: [{ model: null }] },
      },
    });
  });

  test('of a type that nobody knows is malformed', () => {
    expect(readPlatformMessage('partner.platform.v1.Unheard', new Uint8Array(), TEST_NOW)).toEqual({
      kind: 'malformed',
      reason: 'unknown message type "partner.platform.v1.Unheard"',
    });
  });

  test('whose body is no protobuf is malformed', () => {
    expect(
      readPlatformMessage(JobAssignedSchema.typeName, Buffer.from('{"jobId":1}'), TEST_NOW),
    ).toMatchObject({
      kind: 'malformed',
    });
  });

  test('that is empty names every field that is missing', () => {
    const read = readPlatformMessage(JobAssignedSchema.typeName, new Uint8Array(), TEST_NOW);
    expect(read).toEqual({
      kind: 'malformed',
      reason:
        'partner.platform.v1.JobAssigned: jobId is missing; installerCompanyId is missing; occurredAt is missing',
    });
    expect(readPlatformMessage(JobCreatedSchema.typeName, new Uint8Array(), TEST_NOW)).toMatchObject({
      reason: expect.stringContaining('customer is missing'),
    });
  });

  test('with an id of another kind is malformed, and the reason does not repeat what it holds', () => {
    const body = toBinary(
      JobAssignedSchema,
      create(JobAssignedSchema, { jobId: 'secret', installerCompanyId: newId('cmp') }),
    );
    const read = readPlatformMessage(JobAssignedSchema.typeName, body, TEST_NOW);
    expect(read).toMatchObject({
      reason: expect.stringContaining('jobId is not an id with the prefix job_'),
    });
    expect(JSON.stringify(read)).not.toContain('secret');
    const swapped = jobAssignedMessage({ jobId: newId('lead'), installerCompanyId: newId('cmp') });
    expect(readPlatformMessage(swapped.type, swapped.body, TEST_NOW)).toMatchObject({ kind: 'malformed' });
  });

  test.each([
    [new Date('1999-12-31T23:59:59Z').getTime(), 'is no instant after the year 1999'],
    [TEST_NOW.getTime() + 3_600_001, 'is more than 1 h ahead'],
    [8_000_000_000_000_000, 'is more than 1 h ahead'],
  ])('of the instant %d is malformed', (ms, fault) => {
    expect(readAssigned(timestampFromMs(ms))).toMatchObject({
      kind: 'malformed',
      reason: expect.stringContaining(`occurredAt ${fault}`),
    });
  });

  test('of an instant that is no date is malformed', () => {
    const occurredAt = { ...timestampFromMs(0), seconds: 9_000_000_000_000_000n };
    expect(readAssigned(occurredAt)).toMatchObject({ kind: 'malformed' });
  });

  test('may be an hour ahead', () => {
    const ahead = timestampFromMs(TEST_NOW.getTime() + 3_600_000);
    expect(readAssigned(ahead)).toMatchObject({ kind: 'job_assigned' });
  });

  test.each([
    ['customer.name', 120, (text: string) => ({ customer: { name: text } })],
    ['customer.phone', 40, (text: string) => ({ customer: { phone: text } })],
    ['customer.line1', 200, (text: string) => ({ customer: { line1: text } })],
    ['customer.zip', 200, (text: string) => ({ customer: { zip: text } })],
    ['workOrderNo', 60, (text: string) => ({ workOrderNo: text })],
    ['scope.packageName', 200, (text: string) => ({ scope: { packageName: text } })],
    ['scope.equipment.0.model', 200, (text: string) => ({ scope: { equipment: [{ model: text }] } })],
  ])('whose %s is longer than %d is malformed', (field, length, message) => {
    const fault = `${field} is longer than ${length} characters`;
    expect(faultsOfCreated(message('x'.repeat(length + 1)))).toContain(fault);
    expect(faultsOfCreated(message('x'.repeat(length)))).not.toContain(fault);
  });

  test('with more than 200 accessories is malformed', () => {
    const accessories = (count: number) => ({
      scope: { accessories: Array.from({ length: count }, () => ({ name: 'Kit', quantity: 1 })) },
    });
    expect(faultsOfCreated(accessories(201))).toContain('scope.accessories holds more than 200');
    expect(faultsOfCreated(accessories(200))).not.toContain('scope.accessories');
  });
});

function readAssigned(occurredAt: Timestamp) {
  const message = create(JobAssignedSchema, {
    jobId: newId('job'),
    installerCompanyId: newId('cmp'),
    occurredAt,
  });
  return readPlatformMessage(JobAssignedSchema.typeName, toBinary(JobAssignedSchema, message), TEST_NOW);
}

function faultsOfCreated(message: MessageInitShape<typeof JobCreatedSchema>): string {
  const body = toBinary(JobCreatedSchema, create(JobCreatedSchema, message));
  const read = readPlatformMessage(JobCreatedSchema.typeName, body, TEST_NOW);
  return read.kind === 'malformed' ? read.reason : '';
}
