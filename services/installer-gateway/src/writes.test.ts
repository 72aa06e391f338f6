import { expect, test } from '@jest/globals';
import {
  recordStatusEventOperation,
  replaceAssignmentsOperation,
  setScheduleOperation,
} from '@partner/proto-contracts/resources/job/operations';
import type { Operation } from '@partner/proto-contracts/api/operation';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { createSurfaceOf, projectionText } from './testing/create-test-app.js';

const EXPIRES = new Date('2026-10-16T12:00:00Z');
const resourceJson = projectionText({ version: 4, id: 'job_1' });

/** A write of the surface, in front of a job-state that accepts it. */
function write<Query, Body, Param extends string>(
  operation: Operation<Query, Body, Param>,
  given: {
    readonly method: 'post' | 'put';
    readonly path: string;
    readonly body: object;
  },
) {
  return {
    ...given,
    id: operation.id,
    toString: () => operation.id,
    serve() {
      const idempotency = { replayed: false, expiresAt: EXPIRES };
      const surface = createSurfaceOf(operation, () => ({
        json: `{"resource":${resourceJson}}`,
        idempotency,
      }));
      const send = (change: object = {}) =>
        surface
          .send(given.method, `/jobs/job_1/${given.path}`)
          .set('idempotency-key', 'event:1')
          .send({ ...given.body, ...change });
      return { requests: surface.requests, send };
    },
  };
}

const statusEvent = write(recordStatusEventOperation, {
  method: 'post',
  path: 'status-events',
  body: { status: 'EN_ROUTE', occurredAt: '2026-09-01T11:59:00Z', expectedVersion: 3 },
});
const schedule = write(setScheduleOperation, {
  method: 'put',
  path: 'schedule',
  body: {
    status: 'CONFIRMED',
    startsAt: '2026-09-07T14:00:00Z',
    endsAt: '2026-09-07T18:00:00.500Z',
    timeZone: 'America/Denver',
    expectedVersion: 3,
  },
});
const assignments = write(replaceAssignmentsOperation, {
  method: 'put',
  path: 'assignments',
  body: { membershipIds: ['mem_b', 'mem_a'], expectedVersion: 3 },
});
const members = (count: number) => Array.from({ length: count }, (_, index) => `mem_${index}`);

test.each([statusEvent, schedule, assignments])(
  '%s returns the job at its new version as text, under an idempotency key that is bound to the path',
  async ({ id, method, path, body, serve }) => {
    const { send, requests } = serve();
    const response = await send();
    expect([response.status, response.text]).toEqual([
      id === 'recordStatusEvent' ? 201 : 200,
      `{"apiVersion":"2026-08-26","resource":${resourceJson}}`,
    ]);
    expect(response.headers).toMatchObject({ 'idempotency-expires': '2026-10-16T12:00:00.000Z' });
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
    const operation = `${method.toUpperCase()} /partner/v1/jobs/job_1/${path}`;
    const idempotencyKey = { key: 'event:1', operation };
    expect(requests).toMatchObject([{ companyId: 'cmp_1', params: { id: 'job_1' }, idempotencyKey }]);
    expect(requests[0]?.body).toEqual(body);
  },
);

const STATUS = 'must be one of TENTATIVE, CONFIRMED, CANCELLED';
const REPORTED = 'must be one of ACKNOWLEDGED, EN_ROUTE, ON_SITE, BLOCKED, IN_PROGRESS, COMPLETE';

test.each([
  [statusEvent, { status: 'ASSIGNED' }, 'status', REPORTED],
  [statusEvent, { status: 'BLOCKED' }, 'blockerCode', 'is required when status is BLOCKED'],
  [statusEvent, { blockerCode: 'PERMIT' }, 'blockerCode', /./],
  [statusEvent, { expectedVersion: 0 }, 'expectedVersion', 'must be at least 1'],
  [statusEvent, { occurredAt: '2026-09-01T12:00:00+02:00' }, 'occurredAt', /^must be an ISO 8601/],
  [schedule, { status: 'UNSCHEDULED' }, 'status', STATUS],
  [schedule, { startsAt: 1_788_789_600_000 }, 'startsAt', /^must be an ISO 8601/],
  [schedule, { endsAt: '2101-09-07T14:00:00Z' }, 'endsAt', 'must be in the years 2000 to 2100'],
  [schedule, { timeZone: 'PST' }, 'timeZone', /^must be an IANA time zone name/],
  [assignments, { membershipIds: null }, 'membershipIds', 'must be an array, not null'],
  [assignments, { membershipIds: members(21) }, 'membershipIds', 'must have at most 20 items'],
  [assignments, { membershipIds: ['mem_a', ''] }, 'membershipIds.1', 'must not be empty'],
  [assignments, { membershipIds: ['x'.repeat(101)] }, 'membershipIds.0', 'must be at most 100 characters'],
  [assignments, { membershipIds: ['a', 'b', 'a'] }, 'membershipIds.2', 'must not occur twice'],
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
