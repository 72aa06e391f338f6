import { describe, expect, test } from '@jest/globals';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { ServiceError } from '@partner/kernel/service-error';
import { createHash } from 'node:crypto';
import { assertError, createSurfaceOf, KEYS } from './testing/inbound-surface.js';

const expiresAt = new Date('2026-10-16T12:00:00Z');
const booked: OperationReply = {
  status: 201,
  json: '{"appointmentId":"appt_1","status":"booked"}',
  idempotency: { replayed: false, expiresAt },
};

function createFixture(reply: OperationReply | ServiceError = booked) {
  const { requests, request } = createSurfaceOf(bookAppointmentOperation, reply);
  return { requests, post: () => request('post', '/inbound/appointments', KEYS.general) };
}

const appointment = {
  leadId: 'lead_1',
  startsAt: '2026-09-02T15:00:00Z',
  endsAt: '2026-09-02T16:00:00.250Z',
  idempotencyKey: 'visit: Ada & "Bo" 🏠',
};

const DATE_TIME =
  'must be an ISO 8601 date-time in UTC (Z or +00:00), with seconds 00 to 59, e.g. 2026-08-26T14:03:00Z';

const REFUSED: readonly (readonly [field: string, value: unknown, message: string])[] = [
  ['leadId', undefined, 'is required'],
  ['leadId', null, 'must be a string, not null'],
  ['leadId', 1, 'must be a string, not a number'],
  ['leadId', ['lead_1'], 'must be a string, not an array'],
  ['leadId', 'lead_\u0000', 'must not contain the character U+0000'],
  ['projectId', null, 'must be a string, not null'],
  ['projectId', 1, 'must be a string, not a number'],
  ['startsAt', undefined, 'is required'],
  ['startsAt', null, DATE_TIME],
  ['startsAt', 1_788_361_200, DATE_TIME],
  ['startsAt', '', DATE_TIME],
  ['startsAt', '2026-09-02', DATE_TIME],
  ['startsAt', '2026-09-02T15:00:00', DATE_TIME],
  ['startsAt', '1999-09-02T15:00:00Z', 'must be in the years 2000 to 2100'],
  ['endsAt', undefined, 'is required'],
  ['endsAt', null, DATE_TIME],
  ['endsAt', false, DATE_TIME],
  ['endsAt', '2026-09-02T16:00:00-07:00', DATE_TIME],
  ['endsAt', '2101-01-01T00:00:00Z', 'must be in the years 2000 to 2100'],
  ['endsAt', '2026-09-02T15:00:00Z', 'must be after startsAt'],
  ['endsAt', '2026-09-02T15:00:00.000Z', 'must be after startsAt'],
  ['endsAt', '2026-09-02T14:59:59.999Z', 'must be after startsAt'],
  ['notes', null, 'must be a string, not null'],
  ['notes', 5, 'must be a string, not a number'],
  ['notes', 'n'.repeat(501), 'must be at most 500 characters'],
  ['notes', '🏠'.repeat(501), 'must be at most 500 characters'],
  ['notes', 'half \ud83c', 'must be well-formed Unicode text'],
  ['idempotencyKey', undefined, 'is required'],
  ['idempotencyKey', null, 'must be a string, not null'],
  ['idempotencyKey', 12_345_678, 'must be a string, not a number'],
  ['idempotencyKey', '', 'must be at least 8 characters'],
  ['idempotencyKey', 'k'.repeat(7), 'must be at least 8 characters'],
  ['idempotencyKey', '🏠'.repeat(7), 'must be at least 8 characters'],
  ['idempotencyKey', 'k'.repeat(161), 'must be at most 160 characters'],
  ['idempotencyKey', '🏠'.repeat(161), 'must be at most 160 characters'],
  ['idempotencyKey', '12345678\u0000', 'must not contain the character U+0000'],
];

describe('POST /inbound/appointments', () => {
  test('returns 201 with exactly appointmentId and status for a new appointment', async () => {
    const { post, requests } = createFixture();
    const given = { ...appointment, projectId: 'prj_1', notes: 'Ring twice', companyId: 'cmp_9', id: 'x' };
    const response = await post().send(given);
    expect(response.status).toBe(201);
    expect(response.text).toBe(booked.json);
    expect(response.headers).toMatchObject({ 'idempotency-expires': '2026-10-16T12:00:00.000Z' });
    expect(response.headers).not.toHaveProperty('idempotency-replayed');
    const body = { ...appointment, projectId: 'prj_1', notes: 'Ring twice' };
    expect(requests).toMatchObject([{ companyId: 'cmp_1', body }]);
    expect(requests[0]?.body).toEqual(body);
  });

  test('returns 200 for an identical repeat, and marks it as a replay', async () => {
    const { post } = createFixture({ ...booked, status: 200, idempotency: { replayed: true, expiresAt } });
    const repeat = await post().send(appointment);
    expect([repeat.status, repeat.text]).toEqual([200, booked.json]);
    expect(repeat.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
  });

  test('binds the idempotencyKey of the body, and no header, to the operation and to the body [IDEM-4]', async () => {
    const { post, requests } = createFixture();
    await post().set('idempotency-key', 'not a key!').send(appointment);
    await post().send(Object.fromEntries(Object.entries(appointment).reverse()));
    const canonical =
      '{"endsAt":"2026-09-02T16:00:00.250Z","idempotencyKey":"visit: Ada & \\"Bo\\" 🏠","leadId":"lead_1",' +
      '"startsAt":"2026-09-02T15:00:00Z"}';
    const binding = {
      key: appointment.idempotencyKey,
      operation: 'POST /inbound/appointments',
      bodySha256: createHash('sha256').update(canonical).digest(),
    };
    expect(requests.map(({ idempotencyKey }) => idempotencyKey)).toMatchObject([binding, binding]);
  });

  test.each([
    ['permission_denied', 403],
    ['idempotency_mismatch', 409],
    ['idempotency_in_progress', 409],
    ['unavailable', 503],
    ['internal', 500],
  ] as const)('passes on %s as %i', async (reason, status) => {
    const { post } = createFixture(new ServiceError(reason, 'leadId: why'));
    expect(assertError(await post().send(appointment), status, reason).error).toBe('leadId: why');
  });

  test.each(REFUSED)('refuses %s = %j with 400: %s', async (field, value, message) => {
    const { post, requests } = createFixture();
    const response = await post()
      .send(JSON.stringify({ ...appointment, [field]: value }))
      .type('json');
    const body = assertError(response, 400, 'invalid_argument');
    expect(body.error).toBe(`${field}: ${message}`);
    expect(body.details?.[0]).toEqual({ path: field, message });
    expect(requests).toHaveLength(0);
  });

  test.each([
    ['leadId', '🏠'],
    ['projectId', 'anything'],
    ['startsAt', '2024-02-29T23:59:59.123456Z'],
    ['startsAt', '2026-09-02t14:00:00+00:00'],
    ['endsAt', '2026-09-02T15:00:00.001Z'],
    ['notes', ''],
    ['notes', 'n'.repeat(500)],
    ['notes', '🏠'.repeat(500)],
    ['idempotencyKey', 'k'.repeat(8)],
    ['idempotencyKey', 'k'.repeat(160)],
    ['idempotencyKey', '🏠'.repeat(8)],
    ['idempotencyKey', '🏠'.repeat(160)],
    ['idempotencyKey', ' \t\r\n\u2028é/?'],
  ])('accepts %s = %j', async (field, value) => {
    const { post, requests } = createFixture();
    expect((await post().send({ ...appointment, [field]: value })).status).toBe(201);
    expect(requests).toHaveLength(1);
    if (field === 'notes') expect(requests).toMatchObject([{ body: { notes: value } }]);
    if (field === 'idempotencyKey') expect(requests).toMatchObject([{ idempotencyKey: { key: value } }]);
  });

  test('reports all violations at once, in the order of the fields', async () => {
    const { post } = createFixture();
    const body = assertError(await post().send({ notes: 1 }), 400, 'invalid_argument');
    expect(body.error).toBe('leadId: is required');
    expect(body.details?.map(({ path }) => path)).toEqual([
      'leadId',
      'startsAt',
      'endsAt',
      'notes',
      'idempotencyKey',
    ]);
  });

  test.each([
    ['null', 'null'],
    ['[]', 'an array'],
    ['"text"', 'a string'],
    ['1', 'a number'],
  ])('refuses the body %s with 400', async (text, type) => {
    const { post, requests } = createFixture();
    const { error } = assertError(await post().send(text).type('json'), 400, 'invalid_argument');
    expect(error).toBe(`body: must be an object, not ${type}`);
    expect(requests).toHaveLength(0);
  });
});
