import { describe, expect, test } from '@jest/globals';
import { replaceAssignmentsOperation } from '@partner/proto-contracts/resources/job/operations';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { createHash } from 'node:crypto';
import request from 'supertest';
import { createTestApp, keys, projectionText } from '../testing/create-test-app.js';
import { assertError } from '../testing/assert-error.js';

const PATH = '/partner/v1/jobs/job_1/assignments';
const EXPIRES = new Date('2026-10-16T12:00:00Z');
const resourceJson = projectionText({ version: 4, id: 'job_1' });
const assignments = { membershipIds: ['mem_b', 'mem_a'], expectedVersion: 3 };
const members = (count: number) => Array.from({ length: count }, (_, index) => `mem_${index}`);

function createFixture(failure?: ServiceError) {
  const requests: OperationRequest<unknown, unknown>[] = [];
  const app = createTestApp({
    operations: [
      implement(replaceAssignmentsOperation, async (given) => {
        requests.push(given);
        if (failure !== undefined) throw failure;
        return {
          json: `{"resource":${resourceJson}}`,
          idempotency: { replayed: false, expiresAt: EXPIRES },
        };
      }),
    ],
  });
  const put = () =>
    request(app).put(PATH).set('x-api-key', keys.installer.text).set('idempotency-key', 'crew:1');
  return { app, requests, put };
}

describe('PUT /partner/v1/jobs/{id}/assignments', () => {
  test('returns 200 with the job at its new version, and passes the technicians on in their order', async () => {
    const { put, requests } = createFixture();
    const response = await put().send(assignments);
    expect(response.status).toBe(200);
    expect(response.text).toBe(`{"apiVersion":"2026-08-26","resource":${resourceJson}}`);
    expect(response.headers).toMatchObject({
      'x-svc-api-version': '2026-08-26',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
    const canonical = '{"expectedVersion":3,"membershipIds":["mem_b","mem_a"]}';
    expect(requests).toMatchObject([
      {
        companyId: 'cmp_1',
        params: { id: 'job_1' },
        body: assignments,
        idempotencyKey: {
          key: 'crew:1',
          operation: `PUT ${PATH}`,
          bodySha256: createHash('sha256').update(canonical).digest(),
        },
      },
    ]);
  });

  test.each([0, 1, 20])('accepts %d technicians [ASSIGN-1]', async (count) => {
    const { put, requests } = createFixture();
    expect((await put().send({ ...assignments, membershipIds: members(count) })).status).toBe(200);
    expect(requests).toMatchObject([{ body: { membershipIds: members(count) } }]);
  });

  test.each([
    [{ expectedVersion: 3 }, 'membershipIds: is required'],
    [{ ...assignments, membershipIds: null }, 'membershipIds: must be an array, not null'],
    [{ ...assignments, membershipIds: 'mem_a' }, 'membershipIds: must be an array, not a string'],
    [{ ...assignments, membershipIds: { 0: 'mem_a' } }, 'membershipIds: must be an array, not an object'],
    [{ ...assignments, membershipIds: members(21) }, 'membershipIds: must have at most 20 items'],
    [{ ...assignments, membershipIds: ['mem_a', 7] }, 'membershipIds.1: must be a string, not a number'],
    [{ ...assignments, membershipIds: ['mem_a', null] }, 'membershipIds.1: must be a string, not null'],
    [
      { ...assignments, membershipIds: ['mem_a', ['mem_b']] },
      'membershipIds.1: must be a string, not an array',
    ],
    [{ ...assignments, membershipIds: ['mem_a', ''] }, 'membershipIds.1: must not be empty'],
    [{ ...assignments, membershipIds: ['x'.repeat(101)] }, 'membershipIds.0: must be at most 100 characters'],
    [
      { ...assignments, membershipIds: ['mem_a', 'mem_b', 'mem_a'] },
      'membershipIds.2: must not be there twice',
    ],
    [{ ...assignments, membershipIds: ['mem_\0'] }, 'membershipIds.0: must not contain the character U+0000'],
    [{ membershipIds: ['mem_a'] }, 'expectedVersion: is required'],
    [{ ...assignments, expectedVersion: null }, 'expectedVersion: must be an integer, not null'],
    [{ ...assignments, expectedVersion: '3' }, 'expectedVersion: must be an integer, not a string'],
    [{ ...assignments, expectedVersion: 1.5 }, 'expectedVersion: must be an integer'],
    [{ ...assignments, expectedVersion: 0 }, 'expectedVersion: must be at least 1'],
    [[], 'body: must be an object, not an array'],
  ])('refuses %j with a 400: %s [ASSIGN-1]', async (body, message) => {
    const { put, requests } = createFixture();
    const { error, details } = assertError(await put().send(body), 400, 'invalid_argument');
    expect(error).toBe(message);
    expect(details?.map(({ path }) => path)).toEqual([message.slice(0, message.indexOf(':'))]);
    expect(requests).toHaveLength(0);
  });

  test('requires an Idempotency-Key', async () => {
    const { put, requests } = createFixture();
    const missing = await put().unset('idempotency-key').send(assignments);
    expect(assertError(missing, 400, 'invalid_argument').error).toBe('Idempotency-Key: is required');
    assertError(await put().set('idempotency-key', 'a b').send(assignments), 400, 'invalid_argument');
    expect(requests).toHaveLength(0);
  });

  test('passes on every refusal with its attributes, and marks a replay', async () => {
    const idempotency = { replayed: true, expiresAt: EXPIRES };
    for (const [failure, status, attributes] of [
      [
        new ServiceError('stale_version', 'stale', { currentVersion: 4, idempotency }),
        409,
        { currentVersion: 4 },
      ],
      [new ServiceError('technician_not_assignable', 'membershipIds.0: no', { idempotency }), 422, {}],
    ] as const) {
      const response = await createFixture(failure).put().send(assignments);
      const body = assertError(response, status, failure.reason);
      expect(body).toMatchObject({ error: failure.message, ...attributes });
      expect(response.headers).toMatchObject({
        'idempotency-replayed': 'true',
        'idempotency-expires': '2026-10-16T12:00:00.000Z',
      });
    }
    assertError(await createFixture(notFound('job')).put().send(assignments), 404, 'not_found');
  });

  test('exists for PUT only', async () => {
    const { app } = createFixture();
    const response = await request(app).get(PATH);
    assertError(response, 405, 'method_not_allowed');
    expect(response.headers['allow']).toBe('PUT');
  });
});
