import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { describe, expect, test } from '@jest/globals';
import {
  AccessService,
  type AuthenticateKeyResponseSchema,
  CompanyClass,
  KeyKind,
} from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import {
  type CreateLeadRequest,
  type CreateLeadResponseSchema,
  LeadService,
} from '@partner/proto-contracts/gen/partner/leads/v1/lead_service_pb';
import { errorBody } from '@partner/proto-contracts/public-api/error-body';
import { createApiKey } from '@partner/runtime/api-key';
import { createApiKeyAuthenticator } from '@partner/runtime/http/api-key-authentication';
import { silentLogger } from '@partner/runtime/logger';
import { notFound, ServiceError } from '@partner/runtime/service-error';
import { createInMemoryRateLimiter } from '@partner/runtime/testing/in-memory-rate-limiter';
import { createInMemoryTransport, partialRpcService } from '@partner/runtime/testing/in-memory-transport';
import { createHash } from 'node:crypto';
import { Registry } from 'prom-client';
import request from 'supertest';
import { createInboundApp } from './app.js';

const keys = {
  general: createApiKey('sandbox'),
  otherGeneral: createApiKey('sandbox'),
  contractor: createApiKey('sandbox'),
  installer: createApiKey('sandbox'),
};
const owner = { companyId: 'cmp_1', companyClass: CompanyClass.SALES };
const principals = new Map<string, MessageInitShape<typeof AuthenticateKeyResponseSchema>>([
  [keys.general.keyId, { ...owner, kind: KeyKind.GENERAL }],
  [keys.otherGeneral.keyId, { ...owner, kind: KeyKind.GENERAL }],
  [keys.contractor.keyId, { ...owner, kind: KeyKind.INSTALLER_CONTRACTOR, boundCompanyId: 'cmp_2' }],
  [
    keys.installer.keyId,
    { companyId: 'cmp_2', companyClass: CompanyClass.INSTALLER, kind: KeyKind.INSTALLER_COMPANY },
  ],
]);

const NOW = new Date('2026-09-01T12:00:00Z');

type Answer = MessageInitShape<typeof CreateLeadResponseSchema>;

function createFixture(
  answer: Answer | ServiceError = { created: true, leadId: 'lead_1', projectId: 'prj_1' },
) {
  const requests: CreateLeadRequest[] = [];
  const transport = createInMemoryTransport([
    partialRpcService(AccessService, {
      authenticateKey({ keyId = '' }) {
        const principal = principals.get(keyId);
        if (principal === undefined) throw new ServiceError('unauthenticated', 'no such key');
        return principal;
      },
    }),
    partialRpcService(LeadService, {
      createLead(lead) {
        requests.push(lead);
        if (answer instanceof ServiceError) throw answer;
        return answer;
      },
    }),
  ]);
  const metrics = new Registry();
  const app = createInboundApp({
    authenticator: createApiKeyAuthenticator({
      access: createClient(AccessService, transport),
      surface: 'inbound',
      environment: 'sandbox',
      monotonicMs: () => NOW.getTime(),
      metrics,
    }),
    limiter: createInMemoryRateLimiter(() => NOW),
    leads: createClient(LeadService, transport),
    logger: silentLogger,
    metrics,
    rpcTimeoutMs: 1_000,
    trustedProxyHops: 0,
  });
  const post = (key = keys.general) => request(app).post('/inbound/leads').set('x-api-key', key.text);
  return { app, requests, post };
}

const lead = {
  fullName: 'Ada Quill',
  email: 'ada@example.com',
  phone: '555-0100',
  address: '1 Oak St, Salem',
};

function assertError(response: request.Response, status: number, code: string) {
  const body = errorBody.parse(response.body);
  expect({ status: response.status, code: body.code }).toEqual({ status, code });
  expect(response.headers['x-request-id']).toBe(body.requestId);
  return body;
}

describe('POST /inbound/leads', () => {
  test('answers 201 with exactly status and leadId for a new lead', async () => {
    const { post, requests } = createFixture();
    const response = await post().send({ ...lead, smsConsent: false, companyId: 'cmp_9', source: 'web' });
    expect(response.status).toBe(201);
    expect(response.body).toEqual({ status: 'created', leadId: 'lead_1' });
    expect(response.headers).not.toHaveProperty('idempotency-expires');
    expect(requests).toMatchObject([{ ...lead, companyId: 'cmp_1', smsConsent: false }]);
    expect(requests[0]?.idempotencyKey).toBeUndefined();
  });

  test('answers 200 with the lead, the project and the reason for a merged lead', async () => {
    const { post, requests } = createFixture({
      created: false,
      leadId: 'lead_1',
      projectId: 'prj_1',
      mergeReason: 'address matches lead lead_1',
    });
    const response = await post().send(lead);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      status: 'merged',
      leadId: 'lead_1',
      projectId: 'prj_1',
      reason: 'address matches lead lead_1',
    });
    expect(requests[0]?.smsConsent).toBeUndefined();
  });

  test('binds an Idempotency-Key to the operation and to the body whatever the order of its fields', async () => {
    const expiresAt = timestampFromDate(new Date('2026-10-16T12:00:00Z'));
    const { post, requests } = createFixture({
      created: true,
      leadId: 'lead_1',
      idempotency: { replayed: true, expiresAt },
    });
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
    const bodySha256 = new Uint8Array(createHash('sha256').update(canonical).digest());
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
    [{ ...lead, email: 'ada' }, 'email: must be an email address'],
    [{ ...lead, phone: '1' }, 'phone: must be at least 7 characters'],
    [{ ...lead, fullName: 7 }, 'fullName: must be a string'],
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
    expect(requests).toMatchObject([houses(120)]);
  });

  test('refuses what is no valid key of this surface with 401, and a key without the scope with 403', async () => {
    const { app, post, requests } = createFixture();
    assertError(await request(app).post('/inbound/leads').send(lead), 401, 'unauthenticated');
    assertError(await post(createApiKey('sandbox')).send(lead), 401, 'unauthenticated');
    assertError(await post(createApiKey('production')).send(lead), 401, 'unauthenticated');
    assertError(await post(keys.installer).send(lead), 401, 'unauthenticated');
    assertError(await post(keys.contractor).send(lead), 403, 'permission_denied');
    expect(requests).toHaveLength(0);
  });

  test('counts all keys of a company together, 600 in a minute', async () => {
    const { post } = createFixture(notFound('lead'));
    for (let sent = 0; sent < 600; sent += 1) {
      const response = await post(sent % 2 === 0 ? keys.general : keys.otherGeneral).send({});
      expect(response.status).toBe(400);
    }
    for (const key of [keys.general, keys.otherGeneral, keys.contractor]) {
      const refused = await post(key).send(lead);
      assertError(refused, 429, 'rate_limited');
      expect(refused.headers).toMatchObject({
        'retry-after': '61',
        'ratelimit-policy': '"default";q=600;w=60',
        ratelimit: '"default";r=0;t=61',
      });
    }
  });
});

describe('the inbound surface', () => {
  test('has no API version, knows its paths and their methods', async () => {
    const { app } = createFixture();
    const wrong = await request(app).get('/inbound/leads');
    assertError(wrong, 405, 'method_not_allowed');
    expect(wrong.headers['allow']).toBe('POST');
    expect(wrong.headers['x-svc-api-version']).toBeUndefined();
    assertError(await request(app).get('/inbound'), 404, 'not_found');
  });
});
