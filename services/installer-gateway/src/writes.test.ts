import { describe, expect, test } from '@jest/globals';
import {
  recordStatusEventOperation,
  replaceAssignmentsOperation,
  setScheduleOperation,
} from '@partner/proto-contracts/resources/job/operations';
import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import type { Operation } from '@partner/proto-contracts/api/operation';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { createHash } from 'node:crypto';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { createSurfaceOf, projectionText } from './testing/create-test-app.js';

const EXPIRES = new Date('2026-10-16T12:00:00Z');
const resourceJson = projectionText({ version: 4, id: 'job_1' });

/** A write of the surface, in front of a job-state that gives one reply. */
function write<Query, Body, Param extends string>(
  operation: Operation<Query, Body, Param>,
  given: {
    readonly method: 'post' | 'put';
    readonly path: string;
    readonly body: object;
    readonly sent: string;
    /** What job-state refuses beside a stale version. */
    readonly refusal: ErrorReason;
  },
) {
  const path = `/partner/v1/jobs/job_1/${given.path}`;
  return {
    ...given,
    id: operation.id,
    toString: () => operation.id,
    path,
    serve(failure?: ServiceError) {
      const surface = createSurfaceOf(operation, () => {
        if (failure !== undefined) throw failure;
        const idempotency = { replayed: false, expiresAt: EXPIRES };
        return { json: `{"resource":${resourceJson}}`, idempotency };
      });
      const send = (change: object = {}) => sendBody({ ...given.body, ...change });
      const sendBody = (body: object, key: string | undefined = 'event:1') => {
        const sending = surface.send(given.method, `/jobs/job_1/${given.path}`);
        return (key === 'none' ? sending : sending.set('idempotency-key', key)).send(body);
      };
      return { ...surface, send, sendBody };
    },
  };
}

const statusEvent = write(recordStatusEventOperation, {
  method: 'post',
  path: 'status-events',
  refusal: 'transition_not_allowed',
  body: { status: 'EN_ROUTE', occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 3 },
  sent: '{"expectedVersion":3,"occurredAt":"2026-09-01T11:59:00Z","status":"EN_ROUTE"}',
});
const schedule = write(setScheduleOperation, {
  method: 'put',
  path: 'schedule',
  refusal: 'schedule_invalid',
  body: {
    status: 'CONFIRMED',
    startsAt: '2026-09-07T14:00:00Z',
    endsAt: '2026-09-07T18:00:00.500Z',
    timeZone: 'America/Denver',
    expectedVersion: 3,
  },
  sent:
    '{"endsAt":"2026-09-07T18:00:00.500Z","expectedVersion":3,"startsAt":"2026-09-07T14:00:00Z",' +
    '"status":"CONFIRMED","timeZone":"America/Denver"}',
});
const assignments = write(replaceAssignmentsOperation, {
  method: 'put',
  path: 'assignments',
  refusal: 'technician_not_assignable',
  body: { membershipIds: ['mem_b', 'mem_a'], expectedVersion: 3 },
  sent: '{"expectedVersion":3,"membershipIds":["mem_b","mem_a"]}',
});
const members = (count: number) => Array.from({ length: count }, (_, index) => `mem_${index}`);

describe.each([statusEvent, schedule, assignments])(
  '$method $path',
  ({ method, path, body, sent, serve, id, refusal }) => {
    test('returns the job at its new version as text, for a key that is bound to path and body', async () => {
      const { send, requests } = serve();
      const response = await send();
      expect([response.status, response.text]).toEqual([
        id === 'recordStatusEvent' ? 201 : 200,
        `{"apiVersion":"2026-08-26","resource":${resourceJson}}`,
      ]);
      expect(response.headers).toMatchObject({ 'idempotency-expires': '2026-10-16T12:00:00.000Z' });
      expect(response.headers).not.toHaveProperty('idempotency-replayed');
      const bodySha256 = createHash('sha256').update(sent).digest();
      const operation = `${method.toUpperCase()} ${path}`;
      expect(requests).toMatchObject([
        {
          companyId: 'cmp_1',
          params: { id: 'job_1' },
          idempotencyKey: { key: 'event:1', operation, bodySha256 },
        },
      ]);
      expect(requests[0]?.body).toEqual(body);
    });

    test('requires an Idempotency-Key of the allowed characters', async () => {
      const { sendBody, requests } = serve();
      const missing = await sendBody(body, 'none');
      expect(assertError(missing, 400, 'invalid_argument').error).toBe('Idempotency-Key: is required');
      for (const key of ['a b', 'ä', '', 'x'.repeat(129)])
        assertError(await sendBody(body, key), 400, 'invalid_argument');
      expect(requests).toHaveLength(0);
      await sendBody(body, 'Az09._:-'.repeat(16));
      expect(requests).toHaveLength(1);
    });

    test('passes on every refusal with its attributes, and marks a replay', async () => {
      const idempotency = { replayed: true, expiresAt: EXPIRES };
      const moved = { currentStatus: 'ASSIGNED', allowed: ['ACKNOWLEDGED', 'BLOCKED'] };
      const details = [{ path: 'occurredAt', message: 'must be at most 30 days in the past' }];
      for (const [reason, status, attributes] of [
        ['stale_version', 409, { currentVersion: 4 }],
        [refusal, 422, refusal === 'transition_not_allowed' ? moved : {}],
        ['invalid_argument', 400, { details }],
      ] as const) {
        const failure = new ServiceError(reason, 'field: why', { ...attributes, idempotency });
        const response = await serve(failure).send();
        expect(assertError(response, status, reason)).toMatchObject({ error: 'field: why', ...attributes });
        expect(response.headers).toMatchObject({
          'idempotency-replayed': 'true',
          'idempotency-expires': '2026-10-16T12:00:00.000Z',
        });
      }
      assertError(await serve(notFound('job')).send(), 404, 'not_found');
    });

    test('reports every violation of a body at once, in the order of the fields', async () => {
      const { sendBody, requests } = serve();
      const fields = Object.keys(body);
      const { details } = assertError(await sendBody({}), 400, 'invalid_argument');
      expect(details).toEqual(fields.map((field) => expect.objectContaining({ path: field })));
      assertError(await sendBody([body]), 400, 'invalid_argument');
      expect(requests).toHaveLength(0);
    });
  },
);

const DATE_TIME =
  'must be an ISO 8601 date-time in UTC (Z or +00:00), with seconds 00 to 59, e.g. 2026-08-26T14:03:00Z';
const STATUS = 'must be one of TENTATIVE, CONFIRMED, CANCELLED';
const TIME_ZONE = 'must be an IANA time zone name, written exactly';
const REPORTED = 'must be one of ACKNOWLEDGED, EN_ROUTE, ON_SITE, BLOCKED, IN_PROGRESS, COMPLETE';

test.each([
  [statusEvent, { status: 'ASSIGNED' }, 'status', REPORTED],
  [statusEvent, { status: 'BLOCKED' }, 'blockerCode', 'is required when status is BLOCKED'],
  [statusEvent, { blockerCode: 'PERMIT' }, 'blockerCode', /./],
  [statusEvent, { expectedVersion: 0 }, 'expectedVersion', 'must be at least 1'],
  [statusEvent, { expectedVersion: 2 ** 53 }, 'expectedVersion', /./],
  [statusEvent, { occurredAt: '2026-09-01T12:00:00+02:00' }, 'occurredAt', DATE_TIME],
  [statusEvent, { occurredAt: '2026-02-30T12:00:00Z' }, 'occurredAt', /./],
  [statusEvent, { note: 'x'.repeat(2_001) }, 'note', 'must be at most 2000 characters'],
  [statusEvent, { note: null }, 'note', 'must be a string, not null'],
  ...[null, 2, 'UNSCHEDULED', 'confirmed'].map((status) => [schedule, { status }, 'status', STATUS] as const),
  ...['startsAt', 'endsAt'].flatMap((field) => [
    ...[1_788_789_600_000, '', '2026-09-07', '2026-09-07T14:00:00', '2026-09-07T14:00:00+02:00'].map(
      (time) => [schedule, { [field]: time }, field, DATE_TIME] as const,
    ),
    [schedule, { [field]: '2101-09-07T14:00:00Z' }, field, 'must be in the years 2000 to 2100'] as const,
  ]),
  [schedule, { timeZone: null }, 'timeZone', 'must be a string, not null'],
  [schedule, { timeZone: '' }, 'timeZone', `${TIME_ZONE}, e.g. America/Chicago`],
  [schedule, { timeZone: 'PST' }, 'timeZone', `${TIME_ZONE}, e.g. America/Chicago`],
  [schedule, { timeZone: 'america/denver' }, 'timeZone', `${TIME_ZONE}: America/Denver`],
  [schedule, { expectedVersion: null }, 'expectedVersion', 'must be an integer, not null'],
  [schedule, { expectedVersion: -1 }, 'expectedVersion', 'must be at least 1'],
  [assignments, { membershipIds: null }, 'membershipIds', 'must be an array, not null'],
  [assignments, { membershipIds: { 0: 'mem_a' } }, 'membershipIds', 'must be an array, not an object'],
  [assignments, { membershipIds: members(21) }, 'membershipIds', 'must have at most 20 items'],
  [assignments, { membershipIds: ['mem_a', 7] }, 'membershipIds.1', 'must be a string, not a number'],
  [assignments, { membershipIds: ['mem_a', ''] }, 'membershipIds.1', 'must not be empty'],
  [assignments, { membershipIds: ['x'.repeat(101)] }, 'membershipIds.0', 'must be at most 100 characters'],
  [assignments, { membershipIds: ['a', 'b', 'a'] }, 'membershipIds.2', 'must not be there twice'],
  [assignments, { membershipIds: ['mem_\0'] }, 'membershipIds.0', 'must not contain the character U+0000'],
  [assignments, { expectedVersion: '3' }, 'expectedVersion', 'must be an integer, not a string'],
  [assignments, { expectedVersion: 1.5 }, 'expectedVersion', 'must be an integer'],
] as const)(
  '%s with %j is a 400 that names %s: %s [ASSIGN-1, STATUS-1]',
  async (operation, change, path, message) => {
    const { send, requests } = operation.serve();
    const { details } = assertError(await send(change), 400, 'invalid_argument');
    const said = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(details).toEqual([{ path, message: said }]);
    expect(requests).toHaveLength(0);
  },
);

const { startsAt, endsAt } = { startsAt: '2026-09-07T18:00:00.500Z', endsAt: '2026-09-07T14:00:00Z' };

test.each([
  [statusEvent, { status: 'BLOCKED', blockerCode: 'PERMIT', note: 'x' }],
  // job-state checks times and order: it holds the idempotency keys.
  ...['2026-09-02T12:00:00Z', '2020-01-01T00:00:00Z'].map(
    (time) => [statusEvent, { occurredAt: time }] as const,
  ),
  ...['TENTATIVE', 'CONFIRMED', 'CANCELLED'].flatMap((status) => [
    [schedule, { status, startsAt: null, endsAt: null }] as const,
    [schedule, { status, startsAt, endsAt }] as const,
  ]),
  [schedule, { timeZone: 'US/Mountain' }],
  ...[0, 1, 20].map((count) => [assignments, { membershipIds: members(count) }] as const),
] as const)('%s with %j reaches job-state, without unknown fields [ASSIGN-1]', async (operation, change) => {
  const { send, requests } = operation.serve();
  expect((await send({ ...change, crew: 4 })).status).toBeLessThan(300);
  expect(requests[0]?.body).toEqual({ ...operation.body, ...change });
});
