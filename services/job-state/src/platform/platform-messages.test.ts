import { describe, expect, test } from '@jest/globals';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  JobAssignedSchema,
  JobCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { newId } from '@partner/runtime/ids';
import { jobAssignedMessage, jobCreatedMessage } from '../testing/test-jobs.js';
import { readPlatformMessage } from './platform-messages.js';

describe('a message of the platform', () => {
  test('that is whole is read', () => {
    const jobId = newId('job');
    const sellingCompanyId = newId('cmp');
    const { type, body } = jobCreatedMessage({ jobId, sellingCompanyId });
    expect(readPlatformMessage(type, body)).toMatchObject({
      kind: 'job_created',
      command: {
        jobId,
        sellingCompanyId,
        scope: { equipment: [{ model: 'HP-36K' }], accessories: [{ model: null }] },
      },
    });
  });

  test('of a type that nobody knows is malformed', () => {
    expect(readPlatformMessage('partner.platform.v1.Unheard', new Uint8Array())).toEqual({
      kind: 'malformed',
      reason: 'unknown message type "partner.platform.v1.Unheard"',
    });
  });

  test('whose body is no protobuf is malformed', () => {
    expect(readPlatformMessage(JobAssignedSchema.typeName, Buffer.from('{"jobId":1}'))).toMatchObject({
      kind: 'malformed',
    });
  });

  test('that is empty names every field that is missing', () => {
    const read = readPlatformMessage(JobAssignedSchema.typeName, new Uint8Array());
    expect(read).toEqual({
      kind: 'malformed',
      reason:
        'partner.platform.v1.JobAssigned: jobId is missing; installerCompanyId is missing; occurredAt is missing',
    });
    expect(readPlatformMessage(JobCreatedSchema.typeName, new Uint8Array())).toMatchObject({
      reason: expect.stringContaining('customer is missing'),
    });
  });

  test('with an id of another kind is malformed, and the reason does not repeat what it holds', () => {
    const body = toBinary(
      JobAssignedSchema,
      create(JobAssignedSchema, { jobId: 'secret', installerCompanyId: newId('cmp') }),
    );
    const read = readPlatformMessage(JobAssignedSchema.typeName, body);
    expect(read).toMatchObject({
      reason: expect.stringContaining('jobId is not an id with the prefix job_'),
    });
    expect(JSON.stringify(read)).not.toContain('secret');
    const swapped = jobAssignedMessage({ jobId: newId('lead'), installerCompanyId: newId('cmp') });
    expect(readPlatformMessage(swapped.type, swapped.body)).toMatchObject({ kind: 'malformed' });
  });
});
