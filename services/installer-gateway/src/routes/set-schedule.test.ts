import { describe, expect, test } from '@jest/globals';
import { setScheduleOperation } from '@partner/proto-contracts/resources/job/operations';
import { implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { createHash } from 'node:crypto';
import request from 'supertest';
import { createTestApp, keys, projectionText } from '../testing/create-test-app.js';
import { assertError } from '../testing/assert-error.js';

const PATH = '/partner/v1/jobs/job_1/schedule';
const EXPIRES = new Date('2026-10-16T12:00:00Z');
const resourceJson = projectionText({ version: 4, id: 'job_1' });
const schedule = {
  status: 'CONFIRMED',
  startsAt: '2026-09-07T14:00:00Z',
  endsAt: '2026-09-07T18:00:00.500Z',
  timeZone: 'America/Denver',
  expectedVersion: 3,
};
const without = (field: keyof typeof schedule): object =>
  Object.fromEntries(Object.entries(schedule).filter(([name]) => name !== field));

function createFixture(failure?: ServiceError) {
  const requests: OperationRequest<unknown, unknown>[] = [];
  const app = createTestApp({
    operations: [
      implement(setScheduleOperation, async (given) => {
        requests.push(given);
        if (failure !== undefined) throw failure;
        return {
          json: `{"resource":${resourceJson}}`,
          idempotency: { replayed: false, expiresAt: EXPIRES },
        };
      }),
    ],
  });
  const put = (path = PATH) =>
    request(app).put(path).set('x-api-key', keys.installer.text).set('idempotency-key', 'schedule:1');
  return { app, requests, put };
}

describe('PUT /partner/v1/jobs/{id}/schedule', () => {
  test('returns 200 with the job at its new version, and until when the key can be replayed', async () => {
    const { put, requests } = createFixture();
    const response = await put().send(schedule);
    expect(response.status).toBe(200);
    expect(response.text).toBe(`{"apiVersion":"2026-08-26","resource":${resourceJson}}`);
    expect(response.headers).toMatchObject({
      'x-svc-api-version': '2026-08-26',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
    const canonical =
      '{"endsAt":"2026-09-07T18:00:00.500Z","expectedVersion":3,"startsAt":"2026-09-07T14:00:00Z",' +
      '"status":"CONFIRMED","timeZone":"America/Denver"}';
    expect(requests).toMatchObject([
      {
        companyId: 'cmp_1',
        params: { id: 'job_1' },
        body: schedule,
        idempotencyKey: {
          key: 'schedule:1',
          operation: `PUT ${PATH}`,
          bodySha256: createHash('sha256').update(canonical).digest(),
        },
      },
    ]);
  });

  test.each(['TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const)(
    'leaves the check of absent or reversed times of %s to job-state',
    async (status) => {
      const { put, requests } = createFixture();
      const none = { ...schedule, status, startsAt: null, endsAt: null };
      expect((await put().send(none)).status).toBe(200);
      const turned = { ...schedule, status, startsAt: schedule.endsAt, endsAt: schedule.startsAt };
      expect((await put().send(turned)).status).toBe(200);
      expect(requests).toMatchObject([{ body: none }, { body: turned }]);
    },
  );

  const DATE_TIME =
    'must be an ISO 8601 date-time in UTC (Z or +00:00), with seconds 00 to 59, e.g. 2026-08-26T14:03:00Z';
  const STATUS = 'must be one of TENTATIVE, CONFIRMED, CANCELLED';
  const TIME_ZONE = 'must be an IANA time zone name, written exactly';
  test.each([
    [without('status'), 'status: is required'],
    [{ ...schedule, status: null }, `status: ${STATUS}`],
    [{ ...schedule, status: 2 }, `status: ${STATUS}`],
    [{ ...schedule, status: 'UNSCHEDULED' }, `status: ${STATUS}`],
    [{ ...schedule, status: 'confirmed' }, `status: ${STATUS}`],
    ...(['startsAt', 'endsAt'] as const).flatMap((field): [object, string][] => [
      [without(field), `${field}: is required`],
      [{ ...schedule, [field]: 1_788_789_600_000 }, `${field}: ${DATE_TIME}`],
      [{ ...schedule, [field]: '' }, `${field}: ${DATE_TIME}`],
      [{ ...schedule, [field]: '2026-09-07' }, `${field}: ${DATE_TIME}`],
      [{ ...schedule, [field]: '2026-09-07T14:00:00' }, `${field}: ${DATE_TIME}`],
      [{ ...schedule, [field]: '2026-09-07T14:00:00+02:00' }, `${field}: ${DATE_TIME}`],
      [{ ...schedule, [field]: '2101-09-07T14:00:00Z' }, `${field}: must be in the years 2000 to 2100`],
    ]),
    [without('timeZone'), 'timeZone: is required'],
    [{ ...schedule, timeZone: null }, 'timeZone: must be a string, not null'],
    [{ ...schedule, timeZone: 7 }, 'timeZone: must be a string, not a number'],
    [{ ...schedule, timeZone: '' }, `timeZone: ${TIME_ZONE}, e.g. America/Chicago`],
    [{ ...schedule, timeZone: 'PST' }, `timeZone: ${TIME_ZONE}, e.g. America/Chicago`],
    [{ ...schedule, timeZone: 'america/denver' }, `timeZone: ${TIME_ZONE}: America/Denver`],
    [without('expectedVersion'), 'expectedVersion: is required'],
    [{ ...schedule, expectedVersion: null }, 'expectedVersion: must be an integer, not null'],
    [{ ...schedule, expectedVersion: '3' }, 'expectedVersion: must be an integer, not a string'],
    [{ ...schedule, expectedVersion: 1.5 }, 'expectedVersion: must be an integer'],
    [{ ...schedule, expectedVersion: 0 }, 'expectedVersion: must be at least 1'],
    [{ ...schedule, expectedVersion: -1 }, 'expectedVersion: must be at least 1'],
    [[schedule], 'body: must be an object, not an array'],
  ])('refuses %j with a 400: %s', async (body, message) => {
    const { put, requests } = createFixture();
    const { error, details } = assertError(await put().send(body), 400, 'invalid_argument');
    expect(error).toBe(message);
    expect(details?.map(({ path }) => path)).toEqual([message.slice(0, message.indexOf(':'))]);
    expect(requests).toHaveLength(0);
  });

  test('reports every violation of a body at once, in the order of the fields', async () => {
    const { put } = createFixture();
    const { details } = assertError(await put().send({}), 400, 'invalid_argument');
    expect(details?.map(({ path }) => path)).toEqual([
      'status',
      'startsAt',
      'endsAt',
      'timeZone',
      'expectedVersion',
    ]);
  });

  test('accepts a link of the time zone database and ignores unknown fields', async () => {
    const { put, requests } = createFixture();
    const response = await put().send({ ...schedule, timeZone: 'US/Mountain', crew: 4 });
    expect(response.status).toBe(200);
    expect(requests[0]?.body).toEqual({ ...schedule, timeZone: 'US/Mountain' });
  });

  test('requires an Idempotency-Key of the allowed characters', async () => {
    const { put, requests } = createFixture();
    const missing = await put().unset('idempotency-key').send(schedule);
    expect(assertError(missing, 400, 'invalid_argument').error).toBe('Idempotency-Key: is required');
    for (const key of ['a b', 'ä', '', 'x'.repeat(129)]) {
      assertError(await put().set('idempotency-key', key).send(schedule), 400, 'invalid_argument');
    }
    expect(requests).toHaveLength(0);
    expect((await put().set('idempotency-key', 'Az09._:-'.repeat(16)).send(schedule)).status).toBe(200);
  });

  test('passes on every refusal with its attributes, and marks a replay', async () => {
    const idempotency = { replayed: true, expiresAt: EXPIRES };
    const moved = { currentStatus: 'UNSCHEDULED', allowed: ['TENTATIVE', 'CONFIRMED'] };
    for (const [failure, status, attributes] of [
      [
        new ServiceError('stale_version', 'stale', { currentVersion: 4, idempotency }),
        409,
        { currentVersion: 4 },
      ],
      [new ServiceError('transition_not_allowed', 'no', { ...moved, idempotency }), 422, moved],
      [new ServiceError('schedule_invalid', 'endsAt: must be after startsAt', { idempotency }), 422, {}],
    ] as const) {
      const response = await createFixture(failure).put().send(schedule);
      const body = assertError(response, status, failure.reason);
      expect(body).toMatchObject({ error: failure.message, ...attributes });
      expect(response.headers).toMatchObject({
        'idempotency-replayed': 'true',
        'idempotency-expires': '2026-10-16T12:00:00.000Z',
      });
    }
    assertError(await createFixture(notFound('job')).put().send(schedule), 404, 'not_found');
  });

  test('exists for PUT only', async () => {
    const { app } = createFixture();
    const response = await request(app).post(PATH);
    assertError(response, 405, 'method_not_allowed');
    expect(response.headers['allow']).toBe('PUT');
  });
});
