import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { subscriptionCreated } from '@partner/proto-contracts/resources/subscription/subscription';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { newId } from '@partner/kernel/ids';
import { Webhook } from 'standardwebhooks';
import { call } from './support/http-call.js';
import {
  createActiveSubscription,
  type OwnerSession,
  readDeliveries,
  readSubscription,
  signIn,
  waitForDelivery,
} from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';
import type { ReceivedWebhook } from './support/webhook-receiver.js';
import { isSignedWith } from './support/webhook-signatures.js';

let stack: TestStack;
let sales: SandboxCompany;
let installer: SandboxCompany;
let otherInstaller: SandboxCompany;
let installerKey: string;
let owner: OwnerSession;
let failNext = 0;

const first = (companies: readonly SandboxCompany[], place = 0): SandboxCompany => {
  const company = companies[place];
  if (company === undefined) throw new Error('the sandbox has too few companies');
  return company;
};

beforeAll(async () => {
  stack = await startTestStack({
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: '300' } },
    answer: () => {
      failNext -= 1;
      return failNext >= 0 ? 503 : 204;
    },
  });
  sales = first(stack.companies('SALES'));
  installer = first(stack.companies('INSTALLER'));
  otherInstaller = first(stack.companies('INSTALLER'), 1);
  installerKey = apiKeyOf(installer, 'installer-company');
  owner = await signIn(stack.baseUrl, installer.owner);
});

afterAll(async () => {
  await stack.stop();
});

const postStatus = (
  jobId: string,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
) =>
  call(stack.baseUrl, `/partner/v1/jobs/${jobId}/status-events`, {
    method: 'POST',
    headers: { 'x-api-key': installerKey, 'idempotency-key': newId('evt'), ...headers },
    body: { occurredAt: new Date().toISOString(), ...body },
  });

const newJob = () =>
  assignNewJob(stack, { sellingCompanyId: sales.id, installerCompanyId: installer.id, installerKey });

describe('a subscription', () => {
  test('starts paused and is activated only after a verified test delivery [SERVICE-5, WEBHOOK-2, WEBHOOK-3, WEBHOOK-4]', async () => {
    const created = await owner.call('POST', '/partner-api/webhooks', {
      url: stack.receiverUrl,
      events: ['install.status_changed'],
    });
    expect([created.status, created.json]).toMatchObject([
      201,
      {
        subscription: { state: 'paused', verified: false, secretVersion: 1 },
        secret: expect.stringMatching(/^whsec_/),
      },
    ]);
    const { id } = subscriptionCreated.parse(created.json).subscription;
    const early = await owner.call('POST', `/partner-api/webhooks/${id}/activate`);
    expect([early.status, early.json]).toMatchObject([409, { code: 'test_delivery_required' }]);
  });
});

describe('a webhook', () => {
  let subscription: { readonly id: string; readonly secret: string };

  beforeAll(async () => {
    subscription = await createActiveSubscription(owner, {
      url: `${stack.receiverUrl}/main`,
      events: ['install.status_changed'],
    });
  });

  const forJob = (jobId: string) => (webhook: ReceivedWebhook) =>
    webhook.path === '/webhooks/main' && webhook.envelope.resource.id === jobId;

  test('arrives signed so that a stock Standard Webhooks verifier accepts it, with a trace of ours [AUTH-7, DELIVERY-4, DELIVERY-11, SERVICE-4]', async () => {
    const job = await newJob();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const moved = await postStatus(
      job.id,
      { status: 'ACKNOWLEDGED', expectedVersion: job.version, note: 'on it' },
      { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    );
    expect(moved.status).toBe(201);
    await stack.receiver.waitUntil('the webhook of the move', (received) => received.some(forJob(job.id)));
    const [webhook] = stack.receiver.received.filter(forJob(job.id));
    if (webhook === undefined) throw new Error('not received');

    const headers = Object.fromEntries(
      Object.entries(webhook.headers).map(([name, value]) => [name, String(value)] as const),
    );
    expect(() => new Webhook(subscription.secret).verify(webhook.body, headers)).not.toThrow();
    const tampered = Buffer.from(webhook.body);
    tampered.writeUInt8(tampered.readUInt8(10) ^ 1, 10);
    expect(() => new Webhook(subscription.secret).verify(tampered, headers)).toThrow();

    expect(isSignedWith(subscription.secret, webhook)).toBe(true);
    expect(headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    expect(headers['traceparent']).not.toContain(traceId);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-svc-event': 'install.status_changed',
      'x-svc-secret-version': '1',
      'webhook-id': webhook.envelope.id,
    });
    expect(webhook.envelope).toMatchObject({
      event: 'install.status_changed',
      apiVersion: '2026-08-26',
      schemaVersion: 1,
      resource: { id: job.id, version: job.version + 1 },
      data: { previousStatus: 'ASSIGNED', status: 'ACKNOWLEDGED', note: 'on it' },
    });
  });

  test('that fails is sent again on schedule with the same event and a fresh delivery id, and the owner sees it [DELIVERY-1, DELIVERY-8, DELIVERY-10, EVENT-1]', async () => {
    const job = await newJob();
    failNext = 2;
    await postStatus(job.id, { status: 'ACKNOWLEDGED', expectedVersion: job.version });
    await stack.receiver.waitUntil(
      'three attempts',
      (received) => received.filter(forJob(job.id)).length === 3,
    );
    const attempts = stack.receiver.received.filter(forJob(job.id));
    expect(attempts.map(({ answeredStatus }) => answeredStatus)).toEqual([503, 503, 204]);
    expect(new Set(attempts.map(({ envelope }) => envelope.id)).size).toBe(1);
    expect(new Set(attempts.map(({ body }) => body.toString('base64'))).size).toBe(1);
    expect(new Set(attempts.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(3);

    const { deliveries } = await readDeliveries(owner, subscription.id);
    const eventId = attempts[0]?.envelope.id;
    const id = deliveries.find((delivery) => delivery.eventId === eventId)?.id ?? '';
    const delivered = await waitForDelivery(owner, id, (state) => state === 'delivered');
    expect(delivered.body).toBe(attempts[0]?.body.toString('utf8'));
    expect(delivered.attempts.map(({ outcome, responseStatus }) => [outcome, responseStatus])).toEqual([
      ['rejected', 503],
      ['rejected', 503],
      ['delivered', 204],
    ]);
    const [one, two, three] = delivered.attempts.map(({ startedAt }) => Date.parse(startedAt));
    expect((two ?? 0) - (one ?? 0)).toBeGreaterThanOrEqual(300);
    expect((three ?? 0) - (two ?? 0)).toBeGreaterThanOrEqual(600);
    const sentIds = attempts.map(({ headers }) => String(headers['x-svc-delivery-id']));
    expect(delivered.attempts.map(({ deliveryId }) => deliveryId)).toEqual(sentIds);
    expect(await readSubscription(owner, subscription.id)).toMatchObject({
      state: 'active',
      health: 'healthy',
    });
  });
});

describe('a revoked key', () => {
  test('is refused at once [AUTH-13, ERROR-4]', async () => {
    const key = apiKeyOf(otherInstaller, 'installer-company');
    const use = () => call(stack.baseUrl, '/partner/v1/jobs?limit=1', { headers: { 'x-api-key': key } });
    expect((await use()).status).toBe(200);
    await stack.revokeKey(otherInstaller.id, key);
    // What is sent 5 s afterwards or later is refused, however long the answers take and however many the limit lets through.
    const deadline = Date.now() + 5_000;
    let status = 200;
    let sentAt = 0;
    while (status !== 401 && sentAt < deadline) {
      sentAt = Date.now();
      ({ status } = await use());
    }
    expect(status).toBe(401);
  });
});
