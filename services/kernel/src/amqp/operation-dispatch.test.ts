import { describe, expect, test } from '@jest/globals';
import { CALL_CONTENT_TYPE, type Caller } from '@partner/proto-contracts/call';
import { defineInternalOperation } from '@partner/proto-contracts/api/operation';
import {
  getJobOperation,
  recordStatusEventOperation,
} from '@partner/proto-contracts/resources/job/operations';
import { RELEASE_0_1_0 } from '@partner/test-kit/release-0-1-0';
import { z } from 'zod';
import { ServiceError } from '../process/service-error.js';
import { inProcessOperations } from '../testing/in-process-operations.js';
import { implement, implementInternal, type OperationRequest } from './implement.js';
import { encodeCall, encodeFailure, readReply } from './operation-call.js';
import { operationHandlers } from './operation-dispatch.js';

const key: Caller = { kind: 'key', companyId: 'cmp_1', companyClass: 'INSTALLER', keyId: 'key_1' };
const addOne = defineInternalOperation({
  id: 'addOne',
  repeatable: true,
  input: z.object({ number: z.int() }),
  output: z.object({ sum: z.int() }),
});

function createFixture() {
  const served: OperationRequest<unknown, unknown>[] = [];
  const operations = inProcessOperations({
    implementations: [
      implement(getJobOperation, async (request) => {
        served.push(request);
        return { json: '{}', next: 'there', idempotency: { replayed: true, expiresAt: new Date(5) } };
      }),
      implement(recordStatusEventOperation, async (request) => {
        served.push(request);
        return { json: '{}' };
      }),
      implementInternal(addOne, async ({ number }) => ({ sum: number + 1 })),
    ],
    callers: ['key'],
  });
  return { served, ...operations };
}

const event = { status: 'ACKNOWLEDGED', occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 1 };
const idempotencyKey = { key: 'event:1', request: 'POST /jobs', bodySha256: 'ab'.repeat(32) };

describe('a call of an operation', () => {
  test('carries caller, input, idempotency key and deadline, and its reply the JSON and what it says besides', async () => {
    const { call, served } = createFixture();
    const params = { id: 'job_1' };
    const sent = { caller: key, params, query: { a: '1' }, after: 'here', idempotencyKey };
    expect(await call(getJobOperation, sent, { timeoutMs: 5_000 })).toEqual({
      json: '{}',
      next: 'there',
      idempotency: { replayed: true, expiresAt: new Date(5) },
    });
    const bodySha256 = Buffer.alloc(32, 0xab);
    expect(served).toMatchObject([
      {
        ...{ caller: key, companyId: 'cmp_1', companyClass: 'INSTALLER', params, after: 'here' },
        idempotencyKey: { key: 'event:1', operation: 'POST /jobs', bodySha256 },
      },
    ]);
    expect(served[0]?.timeoutMs()).toBeGreaterThan(0);
  });

  test('ignores fields that it does not know, at every level', async () => {
    const { call, served } = createFixture();
    const sent = {
      params: { id: 'job_1', later: 'x' },
      body: { ...event, later: 1 },
      idempotencyKey,
      later: 1,
    };
    await call(recordStatusEventOperation, { ...sent, caller: { ...key, ...{ later: 1 } } });
    expect(served).toMatchObject([{ body: event, params: { id: 'job_1' } }]);
    expect(served[0]?.body).toEqual(event);
    expect(served[0]?.caller).toEqual(key);
  });

  test.each([
    [
      'a body that the schema refuses',
      { body: { ...event, status: 'ASSIGNED' } },
      'invalid_argument',
      'status: ',
    ],
    ['no idempotency key', { idempotencyKey: undefined }, 'invalid_argument', 'Idempotency-Key: is required'],
    ['no path parameter', { params: {} }, 'invalid_argument', 'path: '],
    [
      'a caller that does not use the queue',
      { caller: { kind: 'operator', name: 'ada' } as const },
      'permission_denied',
      'operator',
    ],
    ['a caller of no company', { caller: { kind: 'service' } as const }, 'permission_denied', 'service'],
  ])('with %s fails, and runs nothing', async (_what, part, reason, message) => {
    const { call, served } = createFixture();
    const sent = { caller: key, params: { id: 'job_1' }, body: event, idempotencyKey, ...part };
    await expect(call(recordStatusEventOperation, sent)).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(message),
    });
    expect(served).toHaveLength(0);
  });

  test('for an API key runs only what the queue serves for keys [TENANT-3]', async () => {
    const run = async ({ caller }: OperationRequest<unknown, unknown>) => ({
      json: JSON.stringify(caller.kind),
    });
    const { call } = inProcessOperations({
      implementations: [implement(getJobOperation, run), implement(recordStatusEventOperation, run)],
      callers: ['owner'],
      forKeys: [getJobOperation.id],
    });
    const sent = { caller: key, params: { id: 'job_1' }, query: {}, body: event, idempotencyKey };
    expect(await call(getJobOperation, sent)).toEqual({ json: '"key"' });
    await expect(call(recordStatusEventOperation, sent)).rejects.toMatchObject({
      reason: 'permission_denied',
    });
  });

  test('of an operation of another queue, or of a later release, is unavailable: it was not carried out', async () => {
    const { call } = createFixture();
    await expect(call({ id: 'createLead' }, { caller: key })).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('nothing was done'),
      attributes: { retryAfterSeconds: 1 },
    });
  });
});

describe('the error of a call', () => {
  const decoded = (error: ServiceError) => {
    try {
      readReply('getJob', encodeFailure(error));
    } catch (thrown) {
      return ServiceError.from(thrown);
    }
    return undefined;
  };

  test('carries every attribute, and never the cause', () => {
    const attributes = {
      details: [{ path: 'membershipIds.3', message: 'is not known' }],
      currentVersion: 3,
      currentStatus: 'COMPLETE',
      allowed: [],
      retryAfterSeconds: 2,
      isOfCaller: true,
      idempotency: { replayed: true, expiresAt: new Date('2026-09-01T12:00:00.123Z') },
    };
    const cause = new Error('select 1');
    const error = decoded(new ServiceError('transition_not_allowed', 'no', { ...attributes, cause }));
    expect(error?.attributes).toEqual(attributes);
    expect(error?.cause).toBeUndefined();
  });

  test('with a reason of a later release is internal', () => {
    const body = Buffer.from('{"reason":"of_tomorrow","message":"secret"}');
    expect(() => readReply('getJob', { type: 'error', contentType: CALL_CONTENT_TYPE, body })).toThrow(
      expect.objectContaining({ reason: 'internal', message: expect.not.stringContaining('secret') }),
    );
  });
});

describe('beside release 0.1.0', () => {
  test.each([RELEASE_0_1_0.call.type, 'addOne'])(
    'refuses a message %s without a content type as that release does, and runs nothing',
    async (type) => {
      const implementations = [implementInternal(addOne, ({ number }) => Promise.resolve({ sum: number }))];
      const handlerOf = operationHandlers({ implementations, callers: ['key'] });
      const sent = encodeCall({ caller: key, body: { number: 1 } });
      const { type: replyType, body } = await handlerOf({ type, contentType: '' }).run(sent, () => undefined);
      expect({ type: replyType, base64: Buffer.from(body).toString('base64') }).toEqual(
        RELEASE_0_1_0.unknownCallReply,
      );
    },
  );

  test('its reply to a call that it does not know is unavailable', () => {
    const { type, base64 } = RELEASE_0_1_0.unknownCallReply;
    expect(() =>
      readReply('recordStatusEvent', { type, contentType: '', body: Buffer.from(base64, 'base64') }),
    ).toThrow(expect.objectContaining({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } }));
  });
});
