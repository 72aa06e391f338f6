import { describe, expect, test } from '@jest/globals';
import { JOB_EXAMPLE } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import {
  appendJobNoteOperation,
  listContractorJobsOperation,
} from '@partner/proto-contracts/resources/contractor-job/operations';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import type { Operation } from '@partner/proto-contracts/api/operation';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { notFound, type ServiceError } from '@partner/kernel/process/service-error';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { createHash } from 'node:crypto';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { createInboundSurface, createSurfaceOf, KEYS } from './testing/inbound-surface.js';

const idempotency = { replayed: true, expiresAt: new Date('2026-10-16T12:00:00Z') };
const jobJson = JSON.stringify(JOB_EXAMPLE);

test('the surface requires a key for each operation, and has no other method or path', async () => {
  await expect(probeSurface(createInboundSurface([]).app, INBOUND_OPERATIONS)).resolves.toEqual([]);
});

/** A write of the surface, in front of a job-state that gives one reply. */
function write<Query, Body, Param extends string>(
  operation: Operation<Query, Body, Param>,
  given: {
    readonly key: 'general' | 'contractor';
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly reply: OperationReply;
  },
) {
  return {
    ...given,
    id: operation.id,
    toString: () => operation.id,
    serve(reply: OperationReply | ServiceError = given.reply) {
      const { requests, request } = createSurfaceOf(operation, reply);
      const post = (path = given.path) => request('post', path, KEYS[given.key]);
      /** Sends a body of which some fields are others. */
      const send = (change: object = {}) =>
        post()
          .send(JSON.stringify({ ...given.body, ...change }))
          .type('json');
      return { requests, post, send };
    },
  };
}

const lead = write(createLeadOperation, {
  key: 'general',
  path: '/inbound/leads',
  body: { fullName: 'Ada Quill', email: 'ada@example.com', phone: '555-0100', address: '1 Oak St, Salem' },
  reply: { status: 201, json: '{"status":"created","leadId":"lead_1","projectId":"prj_1"}' },
});
const appointment = write(bookAppointmentOperation, {
  key: 'general',
  path: '/inbound/appointments',
  body: {
    leadId: 'lead_1',
    startsAt: '2026-09-02T15:00:00Z',
    endsAt: '2026-09-02T16:00:00.250Z',
    idempotencyKey: 'visit: Ada & "Bo" 🏠',
  },
  reply: { status: 201, json: '{"appointmentId":"appt_1","status":"booked"}' },
});
const note = write(appendJobNoteOperation, {
  key: 'contractor',
  path: '/inbound/jobs/job_1/status',
  body: { note: 'Gate code 1234' },
  reply: { json: jobJson },
});

describe.each([lead, appointment, note])('POST $path', ({ body, key, path, reply, serve, id }) => {
  test('returns exactly the reply of job-state, which gets the company of the key and no unknown field [LEAD-8]', async () => {
    const { send, requests } = serve();
    const response = await send({ companyId: 'cmp_9', sellingCompanyId: 'cmp_9', id: 'x' });
    expect([response.status, response.text]).toEqual([reply.status ?? 200, reply.json]);
    expect(response.headers).not.toHaveProperty('idempotency-expires');
    const caller = {
      kind: 'key',
      companyId: 'cmp_1',
      ...(key === 'contractor' && { boundCompanyId: 'cmp_2' }),
    };
    expect(requests).toMatchObject([{ companyId: 'cmp_1', caller }]);
    expect(requests[0]?.body).toEqual(body);
    if (id !== 'bookAppointment') expect(requests[0]?.idempotencyKey).toBeUndefined();
  });

  test('binds its idempotency key to path and body in any order of fields, and marks a repeated response [IDEM-4]', async () => {
    const { post, requests } = serve({ ...reply, idempotency });
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    const header = id === 'bookAppointment' ? 'not a key!' : 'retry-1';
    for (const sent of [body, reversed]) {
      const response = await post().set('idempotency-key', header).send(sent);
      expect([response.status, response.text]).toEqual([reply.status ?? 200, reply.json]);
      expect(response.headers).toMatchObject({
        'idempotency-replayed': 'true',
        'idempotency-expires': '2026-10-16T12:00:00.000Z',
      });
    }
    const canonical = JSON.stringify(Object.fromEntries(Object.entries(body).sort()));
    const bodySha256 = createHash('sha256').update(canonical).digest();
    const bound = { key: body['idempotencyKey'] ?? 'retry-1', operation: `POST ${path}`, bodySha256 };
    expect(requests.map(({ idempotencyKey }) => idempotencyKey)).toMatchObject([bound, bound]);
  });
});

test('the job of a note has any decoded id', async () => {
  const { post, requests } = note.serve(notFound('job'));
  const ids = ['nothing', 'job 1', 'job/1', '🏠', 'j'.repeat(2_000)];
  for (const id of ids) {
    const response = await post(`/inbound/jobs/${encodeURIComponent(id)}/status`).send({ note: 'x' });
    assertError(response, 404, 'not_found');
  }
  expect(requests.map(({ params }) => params.id)).toEqual(ids);
});

test.each([
  [lead, 'phone', '1', 'must be at least 7 characters'],
  [appointment, 'leadId', null, 'must be a string, not null'],
  [appointment, 'startsAt', '1999-09-02T15:00:00Z', 'must be in the years 2000 to 2100'],
  ...['2026-09-02T15:00:00Z', '2026-09-02T14:59:59.999Z'].map(
    (time) => [appointment, 'endsAt', time, 'must be after startsAt'] as const,
  ),
  [appointment, 'notes', '🏠'.repeat(501), 'must be at most 500 characters'],
  [appointment, 'idempotencyKey', '🏠'.repeat(7), 'must be at least 8 characters'],
  [appointment, 'idempotencyKey', 'k'.repeat(161), 'must be at most 160 characters'],
  [note, 'note', '', 'must not be empty'],
  [note, 'note', ' \n', 'must not be white space or invisible characters alone'],
  [note, 'note', '🏠'.repeat(2_001), 'must be at most 2000 characters'],
] as const)('%s refuses %s = %j with 400: %s', async (operation, field, value, message) => {
  const { send, requests } = operation.serve();
  const { error, details } = assertError(await send({ [field]: value }), 400, 'invalid_argument');
  expect(error).toBe(`${field}: ${message}`);
  expect(details?.[0]).toEqual({ path: field, message });
  expect(requests).toHaveLength(0);
});

test.each([
  [lead, { fullName: '🏠'.repeat(120), smsConsent: false }],
  [appointment, { leadId: '🏠', projectId: 'anything', notes: '' }],
  [appointment, { startsAt: '2024-02-29T23:59:59.123456Z' }],
  [appointment, { startsAt: '2026-09-02T14:00:00Z', endsAt: '2026-09-02T14:00:00.001Z' }],
  [appointment, { notes: '🏠'.repeat(500), idempotencyKey: '🏠'.repeat(160) }],
  [appointment, { idempotencyKey: ' \t\r\n\u2028é/?' }],
  [note, { note: ' two\nlines ' }],
  [note, { note: '🏠'.repeat(2_000) }],
] as const)('%s passes on %j unchanged', async (operation, change) => {
  const { send, requests } = operation.serve();
  expect((await send(change)).status).toBeLessThan(300);
  expect(requests[0]?.body).toEqual({ ...operation.body, ...change });
});

describe('GET /inbound/jobs', () => {
  const json = JSON.stringify({ jobs: [JOB_EXAMPLE], hasMore: false });
  const serve = () => {
    const { requests, request } = createSurfaceOf(listContractorJobsOperation, { json });
    return { requests, get: (query: string) => request('get', `/inbound/jobs?${query}`, KEYS.contractor) };
  };

  test.each([
    ['sellingCompanyId=cmp_9&companyId=cmp_9', 50],
    ['take=1', 1],
    ['take=200', 200],
    ['take=050', 50],
  ])(
    'returns for %s the jobs of the owner and the bound installer as rendered [LIMIT-5]',
    async (query, take) => {
      const { get, requests } = serve();
      const response = await get(query);
      expect([response.status, response.text, response.type]).toEqual([200, json, 'application/json']);
      expect(requests).toMatchObject([
        { caller: { kind: 'key', companyId: 'cmp_1', boundCompanyId: 'cmp_2' }, query: { take } },
      ]);
    },
  );
});
