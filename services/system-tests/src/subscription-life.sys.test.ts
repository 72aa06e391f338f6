import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bulkReplay } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { eventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  secretRotated,
  subscription,
  subscriptionActivated,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { newId } from '@partner/kernel/ids';
import { Webhook } from 'standardwebhooks';
import { call } from './support/http-call.js';
import {
  createActiveSubscription,
  type OwnerSession,
  readDeliveries,
  readSubscription,
  sendTestDelivery,
  signIn,
  waitForDelivery,
} from './support/owner-session.js';
import { assignNewJob } from './support/platform-job.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';
import type { ReceivedWebhook } from './support/webhook-receiver.js';
import { isSignedWith } from './support/webhook-signatures.js';

const WEBHOOKS = '/partner-api/webhooks';
const EVENTS = ['install.status_changed'];

let stack: TestStack;
let installer: SandboxCompany;
let otherInstaller: SandboxCompany;
let stranger: OwnerSession;
let owner: OwnerSession;

beforeAll(async () => {
  stack = await startTestStack({});
  const [one, other] = stack.companies('INSTALLER');
  if (one === undefined || other === undefined) throw new Error('the sandbox has too few installers');
  [installer, otherInstaller] = [one, other];
  owner = await signIn(stack.baseUrl, installer.owner);
  stranger = await signIn(stack.baseUrl, other.owner);
});

afterAll(async () => {
  await stack.stop();
});

const urlOf = (name: string) => `${stack.receiverUrl}/${name}`;
const receivedAt = (name: string) =>
  stack.receiver.received.filter(({ path }) => path === `/webhooks/${name}`);

/** Moves a new job, so that an event occurs. */
async function moveJob(headers: Readonly<Record<string, string>> = {}): Promise<InstallerJob> {
  const [seller] = stack.companies('SALES');
  if (seller === undefined) throw new Error('the sandbox has no seller');
  const installerKey = apiKeyOf(installer, 'installer-company');
  const job = await assignNewJob(stack, {
    sellingCompanyId: seller.id,
    installerCompanyId: installer.id,
    installerKey,
  });
  const moved = await call(stack.baseUrl, `/partner/v1/jobs/${job.id}/status-events`, {
    method: 'POST',
    headers: { 'x-api-key': installerKey, 'idempotency-key': newId('evt'), ...headers },
    body: {
      status: 'ACKNOWLEDGED',
      note: 'on it',
      occurredAt: new Date().toISOString(),
      expectedVersion: job.version,
    },
  });
  expect(moved.status).toBe(201);
  return job;
}

/** Waits for the webhook about a job at one endpoint. */
async function webhookOf(job: InstallerJob, name: string): Promise<ReceivedWebhook> {
  const isIt = ({ path, envelope }: ReceivedWebhook) =>
    path === `/webhooks/${name}` && envelope.resource.id === job.id;
  await stack.receiver.waitUntil('the webhook of the move', (received) => received.some(isIt));
  const found = stack.receiver.received.find(isIt);
  if (found === undefined) throw new Error('not received');
  return found;
}

async function expectStatus(status: number, method: string, path: string, body?: unknown) {
  const answer = await owner.call(method, path, body);
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  return answer;
}

describe('a subscription of an owner', () => {
  test('starts paused and is activated only after a verified test delivery [SERVICE-5, WEBHOOK-2, WEBHOOK-3, WEBHOOK-4]', async () => {
    const created = await expectStatus(201, 'POST', WEBHOOKS, { url: stack.receiverUrl, events: EVENTS });
    expect(created.json).toMatchObject({
      subscription: { state: 'paused', verified: false, secretVersion: 1 },
      secret: expect.stringMatching(/^whsec_/),
    });
    const { id } = subscriptionCreated.parse(created.json).subscription;
    const early = await expectStatus(409, 'POST', `${WEBHOOKS}/${id}/activate`);
    expect(early.json).toMatchObject({ code: 'test_delivery_required' });
  });

  test('gets webhooks signed so that a stock Standard Webhooks verifier accepts them, in a trace that no caller has chosen [AUTH-7, DELIVERY-4, DELIVERY-11, SERVICE-4]', async () => {
    const { secret } = await createActiveSubscription(owner, { url: urlOf('signed'), events: EVENTS });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const job = await moveJob({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    const webhook = await webhookOf(job, 'signed');
    const headers = Object.fromEntries(
      Object.entries(webhook.headers).map(([name, value]) => [name, String(value)] as const),
    );
    expect(() => new Webhook(secret).verify(webhook.body, headers)).not.toThrow();
    const tampered = Buffer.from(webhook.body);
    tampered.writeUInt8(tampered.readUInt8(10) ^ 1, 10);
    expect(() => new Webhook(secret).verify(tampered, headers)).toThrow();
    expect(isSignedWith(secret, webhook)).toBe(true);
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

  test('gets another secret: tried by a test, then activated, then it signs', async () => {
    const made = await createActiveSubscription(owner, { url: urlOf('rotation'), events: EVENTS });
    const path = `${WEBHOOKS}/${made.id}`;
    const rotated = secretRotated.parse((await expectStatus(201, 'POST', `${path}/rotate-secret`)).json);
    const { secret, pendingSecretVersion } = rotated;
    expect(pendingSecretVersion).toBe(2);
    const before = await webhookOf(await moveJob(), 'rotation');
    expect(before.headers['x-svc-secret-version']).toBe('1');
    expect(isSignedWith(made.secret, before)).toBe(true);

    const tried = await expectStatus(202, 'POST', `${path}/test`, { secretVersion: 2 });
    const { id, eventId } = delivery.parse(tried.json);
    await waitForDelivery(owner, id, (state) => state === 'delivered');
    const test = receivedAt('rotation').find(({ envelope }) => envelope.id === eventId);
    expect(test?.headers['x-svc-secret-version']).toBe('2');
    expect(test !== undefined && isSignedWith(secret, test)).toBe(true);

    await expectStatus(409, 'POST', `${path}/activate-secret`, { pendingSecretVersion: 3 });
    await expectStatus(200, 'POST', `${path}/activate-secret`, { pendingSecretVersion });
    await expectStatus(200, 'POST', `${path}/activate-secret`, { pendingSecretVersion });
    const after = await webhookOf(await moveJob(), 'rotation');
    expect(after.headers['x-svc-secret-version']).toBe('2');
    expect(isSignedWith(secret, after)).toBe(true);
    expect(await readSubscription(owner, made.id)).toMatchObject({
      secretVersion: 2,
      pendingSecretVersion: null,
    });
  });

  test('is paused, misses an event, and is activated with a back-fill that goes back to it', async () => {
    const made = await createActiveSubscription(owner, { url: urlOf('pause'), events: EVENTS });
    const path = `${WEBHOOKS}/${made.id}`;
    await expectStatus(200, 'POST', `${path}/pause`);
    await moveJob();
    const eventsOf = async () => {
      const { deliveries } = await readDeliveries(owner, made.id);
      return deliveries.filter(({ event }) => event === 'install.status_changed');
    };
    expect(await eventsOf()).toEqual([]);
    const activated = await expectStatus(200, 'POST', `${path}/activate`, { backfill: true });
    const { state, backfillId } = subscriptionActivated.parse(activated.json);
    expect([state, backfillId]).toEqual(['active', expect.stringMatching(/^rpl_/)]);
    const counted = await stack.database.query<{ total: number }>(
      'select total from bulk_replays where id = $1',
      [backfillId],
    );
    expect(counted.rows).toEqual([{ total: 1 }]);
    const job = await moveJob();
    expect(isSignedWith(made.secret, await webhookOf(job, 'pause'))).toBe(true);
    expect(await eventsOf()).toHaveLength(1);
  });

  test('moves to another address after a test there', async () => {
    const made = await createActiveSubscription(owner, { url: urlOf('old'), events: EVENTS });
    const path = `${WEBHOOKS}/${made.id}`;
    const changed = await expectStatus(200, 'PATCH', path, { url: urlOf('new'), description: 'moved' });
    expect(subscription.parse(changed.json)).toMatchObject({ state: 'paused', verified: false });
    await expectStatus(409, 'POST', `${path}/activate`);
    await expectStatus(400, 'PATCH', path, { url: 'https://127.0.0.1/' });
    await sendTestDelivery(owner, made.id);
    await expectStatus(200, 'POST', `${path}/activate`);
    await webhookOf(await moveJob(), 'new');
    expect(receivedAt('old').map(({ envelope }) => envelope.event)).toEqual(['install.test']);
  });

  test('is deleted, and gets nothing more', async () => {
    const witness = await createActiveSubscription(owner, { url: urlOf('witness'), events: EVENTS });
    const made = await createActiveSubscription(owner, { url: urlOf('deleted'), events: EVENTS });
    const path = `${WEBHOOKS}/${made.id}`;
    await expectStatus(204, 'DELETE', path);
    await expectStatus(404, 'GET', path);
    await expectStatus(404, 'DELETE', path);
    await webhookOf(await moveJob(), 'witness');
    expect(receivedAt('deleted').map(({ envelope }) => envelope.event)).toEqual(['install.test']);
    await expectStatus(204, 'DELETE', `${WEBHOOKS}/${witness.id}`);
  });

  test('is unknown to the owner of another company, with its deliveries, events and replays, by whatever request [AUTH-6, EVENT-6, REPLAY-4, WEBHOOK-10]', async () => {
    const made = await createActiveSubscription(owner, { url: urlOf('own'), events: EVENTS });
    const job = await moveJob();
    const attemptId = String((await webhookOf(job, 'own')).headers['x-svc-delivery-id']);
    const sent = (await readDeliveries(owner, made.id)).deliveries.find(
      ({ resource }) => resource.id === job.id,
    );
    if (sent === undefined) throw new Error('the move was not queued');
    await waitForDelivery(owner, sent.id, (state) => state === 'delivered');
    const selection = {
      states: ['delivered'],
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    await expectStatus(200, 'POST', `${WEBHOOKS}/${made.id}/pause`);
    const begun = await expectStatus(202, 'POST', `${WEBHOOKS}/${made.id}/replay`, selection);
    const replayId = bulkReplay.parse(begun.json).id;
    const reads = [
      `${WEBHOOKS}/${made.id}`,
      `${WEBHOOKS}/${made.id}/deliveries`,
      `${WEBHOOKS}/${made.id}/replays`,
      `/partner-api/deliveries/${sent.id}`,
      `/partner-api/deliveries/${attemptId}`,
      `/partner-api/events/${sent.eventId}`,
      `/partner-api/replays/${replayId}`,
    ];
    const seen = async () => {
      const answers: unknown[] = [];
      for (const path of reads) answers.push((await expectStatus(200, 'GET', path)).json);
      return answers;
    };
    const before = await seen();
    const path = `${WEBHOOKS}/${made.id}`;
    for (const [method, route, body] of [
      ...reads.map((read) => ['GET', read] as const),
      ['PATCH', path, { description: 'theirs' }],
      ['DELETE', path],
      ['POST', `${path}/test`],
      ['POST', `${path}/activate`],
      ['POST', `${path}/activate`, { backfill: true }],
      ['POST', `${path}/pause`],
      ['POST', `${path}/rotate-secret`],
      ['POST', `${path}/activate-secret`, { pendingSecretVersion: 1 }],
      ['POST', `${path}/replay`, selection],
      ['POST', `${path}/replay`, { ...selection, preview: true }],
      ['POST', `/partner-api/deliveries/${sent.id}/replay`],
      ['DELETE', `/partner-api/replays/${replayId}`],
    ] as const) {
      const answer = await stranger.call(method, route, body);
      expect([method, route, answer.status]).toEqual([method, route, 404]);
    }
    const about = await stranger.call('GET', `/partner-api/events?resourceId=${job.id}`);
    expect(about.json).toMatchObject({ events: [] });
    expect(await seen()).toEqual(before);
  });
});

test('the event catalogue is the same for every owner', async () => {
  const answer = await expectStatus(200, 'GET', '/partner-api/webhook-events');
  const { events, signatureScheme } = eventCatalogue.parse(answer.json);
  expect(signatureScheme).toBe('v1');
  expect(events.map(({ name }) => name)).toContain('install.status_changed');
  expect((await stranger.call('GET', '/partner-api/webhook-events')).text).toBe(answer.text);
});

test('a revoked key is refused at once [AUTH-13, ERROR-4]', async () => {
  const key = apiKeyOf(otherInstaller, 'installer-company');
  const use = () => call(stack.baseUrl, '/partner/v1/jobs?limit=1', { headers: { 'x-api-key': key } });
  expect((await use()).status).toBe(200);
  await stack.revokeKey(otherInstaller.id, key);
  // What is sent 5 s afterwards or later is refused, however long the responses take and however many the limit lets through.
  const deadline = Date.now() + 5_000;
  let status = 200;
  let sentAt = 0;
  while (status !== 401 && sentAt < deadline) {
    sentAt = Date.now();
    ({ status } = await use());
  }
  expect(status).toBe(401);
});
