import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { NO_FAULTS } from '@partner/proto-contracts/resources/fault-script/fault-script';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import { call } from './support/http-call.js';
import { createActiveSubscription, type OwnerSession, signIn } from './support/owner-session.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';

let houses = 0;

function postLead(baseUrl: string, apiKey: string, idempotencyKey = newId('evt')): Promise<HttpResponse> {
  houses += 1;
  return call(baseUrl, '/inbound/leads', {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey },
    body: {
      fullName: 'Ada Lovelace',
      email: 'ada@example.com',
      phone: '+1 512 555 0100',
      address: `${houses} Fault Street, Austin, TX 78701`,
    },
  });
}

describe('in the sandbox', () => {
  let stack: TestStack;
  let owner: OwnerSession;

  beforeAll(async () => {
    stack = await startTestStack({ replicas: { 'inbound-gateway': 2 } });
    const [company] = stack.companies('SALES');
    if (company === undefined) throw new Error('a company sells');
    owner = await signIn(stack.baseUrl, company.owner);
  });

  afterAll(() => stack.stop());

  /** A key that no gateway has heard of yet, with a script. */
  async function keyWith(script: object): Promise<{ readonly apiKey: string; readonly path: string }> {
    const made = await owner.call('POST', '/partner-api/api-keys', { kind: 'general' });
    const { key, apiKey } = apiKeyCreated.parse(made.json);
    const path = `/partner-api/api-keys/${key.id}/faults`;
    expect((await owner.call('PUT', path, script)).status).toBe(200);
    return { apiKey, path };
  }

  test('a partner can try a limit, an outage and a lost answer, over all replicas [SANDBOX-2]', async () => {
    const { apiKey, path } = await keyWith({
      requests: [
        { fault: 'rate_limited', retryAfterSeconds: 1, times: 3 },
        { fault: 'server_error', status: 503 },
        { fault: 'server_error', status: 503, when: 'after' },
      ],
    });
    const idempotencyKey = newId('evt');
    const house = (houses += 1);
    const lead = () => {
      houses = house;
      return postLead(stack.baseUrl, apiKey, idempotencyKey);
    };
    for (const _ of [1, 2, 3]) {
      const limited = await lead();
      expect(limited.status).toBe(429);
      expect(limited.headers.get('retry-after')).toBe('1');
      expect(limited.headers.get('ratelimit')).toBe('"default";r=0;t=1');
      expect(limited.headers.get('x-request-id')).not.toBeNull();
    }
    expect((await lead()).status).toBe(503);
    expect((await lead()).status).toBe(503);
    const repeated = await lead();
    expect(repeated.status).toBe(201);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect((await postLead(stack.baseUrl, apiKey)).status).toBe(201);

    const shown = await owner.call('GET', path);
    expect(shown.json).toMatchObject({ requests: [{ fault: 'rate_limited' }, {}, { when: 'after' }] });
  });

  test("a script that is taken away holds for no longer than 5 seconds, and is no other company's", async () => {
    const { apiKey, path } = await keyWith({ requests: [{ fault: 'rate_limited', times: 100 }] });
    expect((await postLead(stack.baseUrl, apiKey)).status).toBe(429);
    const [installer] = stack.companies('INSTALLER');
    if (installer === undefined) throw new Error('a company installs');
    const other = await signIn(stack.baseUrl, installer.owner);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await other.call(method, path)).status).toBe(404);
    }
    expect((await owner.call('DELETE', path)).status).toBe(204);
    expect((await owner.call('GET', path)).json).toEqual(NO_FAULTS);
    await eventually('the usual answers', async () => (await postLead(stack.baseUrl, apiKey)).status === 201);
  });

  test('webhooks come twice and late, and each of them still comes [SANDBOX-2]', async () => {
    const subscription = await createActiveSubscription(owner, {
      url: stack.receiverUrl,
      events: ['appointment.booked'],
    });
    const { apiKey, path } = await keyWith({ webhooks: { duplicate: true, reorder: true } });
    const { leadId } = leadCreated.parse((await postLead(stack.baseUrl, apiKey)).json);
    const book = () =>
      call(stack.baseUrl, '/inbound/appointments', {
        method: 'POST',
        headers: { 'x-api-key': apiKey },
        body: {
          leadId,
          startsAt: '2027-03-01T15:00:00Z',
          endsAt: '2027-03-01T16:00:00Z',
          idempotencyKey: newId('evt'),
        },
      });
    for (const _ of [1, 2, 3]) expect((await book()).status).toBe(201);
    const booked = () =>
      stack.receiver.received.filter(({ envelope }) => envelope.event === 'appointment.booked');
    await stack.receiver.waitUntil('each webhook twice', () => booked().length >= 6);
    const ids = booked().map(({ envelope }) => envelope.id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(ids.filter((other) => other === id)).toHaveLength(2);
    const deliveries = new Set(booked().map(({ headers }) => headers['x-svc-delivery-id']));
    expect(deliveries.size).toBe(6);

    expect((await owner.call('DELETE', path)).status).toBe(204);
    await book();
    await stack.receiver.waitUntil('the next webhook', () => booked().length >= 7);
    const list = await owner.call('GET', `/partner-api/webhooks/${subscription.id}/deliveries`);
    expect(list.text).not.toContain('"dead_lettered"');
  });
});

describe('in production', () => {
  const SERVICES = ['job-state', 'inbound-gateway', 'installer-gateway', 'console'] as const;
  const PUBLIC_BASE_URL = 'https://partner.example';
  let stack: TestStack;

  beforeAll(async () => {
    const settings: Partial<Record<ServiceName, Record<string, string>>> = Object.fromEntries(
      SERVICES.map((service) => [
        service,
        { PARTNER_ENVIRONMENT: 'production', ...(service === 'console' && { PUBLIC_BASE_URL }) },
      ]),
    );
    stack = await startTestStack({ settings });
  });

  afterAll(() => stack.stop());

  async function productionKey(
    companyClass: 'SALES' | 'INSTALLER',
    kind: 'general' | 'installer-company',
  ): Promise<string> {
    const [company] = stack.companies(companyClass);
    const key = createApiKey('production');
    await stack.database.query(
      `insert into api_keys (id, company_id, kind, secret_sha256, last_four, faults) values ($1, $2, $3, $4, $5, $6)`,
      [
        key.keyId,
        company?.id,
        kind,
        key.secretSha256,
        key.lastFour,
        {
          id: newId('evt'),
          requests: [{ fault: 'rate_limited', retryAfterSeconds: 1, times: 100 }],
          webhooks: { duplicate: true, reorder: true },
        },
      ],
    );
    return key.text;
  }

  const feed = (apiKey: string) =>
    call(stack.baseUrl, '/partner/v1/jobs', { headers: { 'x-api-key': apiKey } });

  test('a fault script that is stored for a key has no effect [SANDBOX-3]', async () => {
    const [sales, installer] = [
      await productionKey('SALES', 'general'),
      await productionKey('INSTALLER', 'installer-company'),
    ];
    for (const _ of [1, 2]) {
      expect((await postLead(stack.baseUrl, sales)).status).toBe(201);
      expect((await feed(installer)).status).toBe(200);
    }
  });

  test('there is no path for fault scripts, with a key of the company or without one [SANDBOX-3]', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const path = `/partner-api/api-keys/${newId('key')}/faults`;
      const answer = await sendCall(stack.baseUrl, path, { method, headers: { origin: PUBLIC_BASE_URL } });
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ error: 'path: there is no such path' });
    }
  });

  test('keys of the sandbox are refused on all surfaces', async () => {
    const [sales] = stack.companies('SALES');
    const [installer] = stack.companies('INSTALLER');
    if (sales === undefined || installer === undefined) throw new Error('the sandbox has companies');
    expect((await postLead(stack.baseUrl, apiKeyOf(sales, 'general'))).status).toBe(401);
    expect((await feed(apiKeyOf(installer, 'installer-company'))).status).toBe(401);
    const headers = { 'x-api-key': apiKeyOf(sales, 'general') };
    expect((await call(stack.baseUrl, '/partner-api/webhooks', { headers })).status).toBe(401);
  });
});
