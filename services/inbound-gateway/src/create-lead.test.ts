import { describe, expect, test } from '@jest/globals';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { ServiceError } from '@partner/kernel/service-error';
import { createHash } from 'node:crypto';
import { assertError, createSurfaceOf, KEYS } from './testing/inbound-surface.js';

const created: OperationReply = {
  status: 201,
  json: '{"status":"created","leadId":"lead_1","projectId":"prj_1"}',
};

function createFixture(reply: OperationReply | ServiceError = created) {
  const { requests, request } = createSurfaceOf(createLeadOperation, reply);
  return { requests, post: () => request('post', '/inbound/leads', KEYS.general) };
}

const lead = {
  fullName: 'Ada Quill',
  email: 'ada@example.com',
  phone: '555-0100',
  address: '1 Oak St, Salem',
};

describe('POST /inbound/leads', () => {
  test('returns 201 with exactly status, leadId and projectId for a new lead [LEAD-8]', async () => {
    const { post, requests } = createFixture();
    const response = await post().send({ ...lead, smsConsent: false, companyId: 'cmp_9', source: 'web' });
    expect(response.status).toBe(201);
    expect(response.text).toBe(created.json);
    expect(response.headers).not.toHaveProperty('idempotency-expires');
    expect(requests).toMatchObject([{ companyId: 'cmp_1' }]);
    expect(requests[0]?.body).toEqual({ ...lead, smsConsent: false });
    expect(requests[0]?.idempotencyKey).toBeUndefined();
  });

  test('returns 200 with the lead, the project and the reason for a merged lead', async () => {
    const json =
      '{"status":"merged","leadId":"lead_1","projectId":"prj_1","reason":"address matches lead lead_1"}';
    const { post } = createFixture({ status: 200, json });
    const response = await post().send(lead);
    expect([response.status, response.text]).toEqual([200, json]);
  });

  test('binds an Idempotency-Key to the operation and to the body in any field order', async () => {
    const expiresAt = new Date('2026-10-16T12:00:00Z');
    const { post, requests } = createFixture({ ...created, idempotency: { replayed: true, expiresAt } });
    const response = await post().set('idempotency-key', 'retry-1').send(lead);
    await post()
      .set('idempotency-key', 'retry-1')
      .send(Object.fromEntries(Object.entries(lead).reverse()));
    expect(response.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
    const canonical =
      '{"address":"1 Oak St, Salem","email":"ada@example.com","fullName":"Ada Quill","phone":"555-0100"}';
    const bodySha256 = createHash('sha256').update(canonical).digest();
    expect(requests).toHaveLength(2);
    for (const { idempotencyKey } of requests) {
      expect(idempotencyKey).toMatchObject({ key: 'retry-1', operation: 'POST /inbound/leads', bodySha256 });
    }
  });

  test.each([
    ['idempotency_mismatch', 409],
    ['idempotency_in_progress', 409],
    ['unavailable', 503],
    ['internal', 500],
  ] as const)('passes on %s as %i', async (reason, status) => {
    const { post } = createFixture(new ServiceError(reason, 'why'));
    const response = await post().send(lead);
    assertError(response, status, reason);
    if (status === 503) expect(response.headers['retry-after']).toBe('1');
  });

  test.each([
    [{ ...lead, address: '1' }, 'address: must be at least 3 characters'],
    [{ ...lead, email: 'ada' }, 'email: must be an email address, e.g. ada@example.com'],
    [{ ...lead, phone: '1' }, 'phone: must be at least 7 characters'],
    [{ ...lead, fullName: 7 }, 'fullName: must be a string, not a number'],
    [{}, 'fullName: is required'],
  ])('refuses %j with 400: %s', async (body, message) => {
    const { post, requests } = createFixture();
    expect(assertError(await post().send(body), 400, 'invalid_argument').error).toBe(message);
    expect(requests).toHaveLength(0);
  });

  test('counts a character beyond the basic plane as one', async () => {
    const { post, requests } = createFixture();
    const houses = (count: number) => ({ ...lead, fullName: '🏠'.repeat(count) });
    expect((await post().send(houses(120))).status).toBe(201);
    const { error } = assertError(await post().send(houses(121)), 400, 'invalid_argument');
    expect(error).toBe('fullName: must be at most 120 characters');
    expect(requests).toMatchObject([{ body: houses(120) }]);
  });
});
