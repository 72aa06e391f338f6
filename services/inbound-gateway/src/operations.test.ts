import { expect, test } from '@jest/globals';
import { JOB_EXAMPLE } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import {
  appendJobNoteOperation,
  listContractorJobsOperation,
} from '@partner/proto-contracts/resources/contractor-job/operations';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import type { Operation } from '@partner/proto-contracts/api/operation';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { assertError } from '@partner/gateway-kit/testing/http-app-fixture';
import { createInboundSurface, createSurfaceOf, KEYS } from './testing/inbound-surface.js';

test('the surface requires a key for each operation, and has no other method or path', async () => {
  await expect(probeSurface(createInboundSurface([]).app, INBOUND_OPERATIONS)).resolves.toEqual([]);
});

/** A write of the surface, in front of a job-state that gives one reply. */
function write<Query, Body, Param extends string, Given extends object>(
  operation: Operation<Query, Body, Param>,
  given: {
    readonly key: 'general' | 'contractor';
    readonly path: string;
    readonly body: Given;
    readonly reply: OperationReply;
  },
) {
  return {
    body: given.body,
    toString: () => operation.id,
    serve() {
      const { requests, request } = createSurfaceOf(operation, given.reply);
      /** Sends a body of which some fields are others. */
      const send = (change: object = {}) =>
        request('post', given.path, KEYS[given.key])
          .send(JSON.stringify({ ...given.body, ...change }))
          .type('json');
      return { requests, send };
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
  reply: { json: JSON.stringify(JOB_EXAMPLE) },
});

test('an appointment has its idempotency key in its body alone [IDEM-4]', async () => {
  const { send, requests } = appointment.serve();
  expect((await send().set('idempotency-key', 'not a key!')).status).toBe(201);
  expect(requests).toMatchObject([{ idempotencyKey: { key: appointment.body.idempotencyKey } }]);
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
] as const)('%s passes on %j unchanged, without unknown fields', async (operation, change) => {
  const { send, requests } = operation.serve();
  const unknown = { companyId: 'cmp_9', sellingCompanyId: 'cmp_9', id: 'x' };
  expect((await send({ ...unknown, ...change })).status).toBeLessThan(300);
  expect(requests[0]?.body).toEqual({ ...operation.body, ...change });
});

test.each([
  ['sellingCompanyId=cmp_9&companyId=cmp_9', 50],
  ['take=200', 200],
  ['take=050', 50],
])(
  'the list of jobs for %s has at most %i of the bound installer, as rendered [LIMIT-5]',
  async (query, take) => {
    const json = JSON.stringify({ jobs: [JOB_EXAMPLE], hasMore: false });
    const { requests, request } = createSurfaceOf(listContractorJobsOperation, { json });
    const response = await request('get', `/inbound/jobs?${query}`, KEYS.contractor);
    expect([response.status, response.text, response.type]).toEqual([200, json, 'application/json']);
    expect(requests).toMatchObject([
      { caller: { companyId: 'cmp_1', boundCompanyId: 'cmp_2' }, query: { take } },
    ]);
  },
);
