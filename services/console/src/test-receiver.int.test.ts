import { expect, test } from '@jest/globals';
import {
  TEST_RECEIVER_LIMITS,
  testReceiver,
} from '@partner/proto-contracts/resources/test-request/test-request';
import { subscriptionCreated } from '@partner/proto-contracts/resources/subscription/subscription';
import { serviceSignature } from '@partner/kernel/security/webhook-signature';
import supertest from 'supertest';
import { ids, newWebhook, site, startSite, WEBHOOKS } from './testing/each-test-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const RECEIVER = '/partner-api/test-receiver';
const BODY = '{"event":"install.test"}';

async function read(cookie: string) {
  const { text } = await site.request('get', RECEIVER, { cookie }).expect(200);
  return testReceiver.parse(JSON.parse(text));
}

/** Sends as a webhook does: from no page, and of any type. */
function send(path: string, headers: Readonly<Record<string, string>> = {}, body = BODY): supertest.Test {
  return supertest(site.server)
    .post(path)
    .set({ 'content-type': 'text/plain', ...headers })
    .send(body);
}

async function pathOf(cookie: string): Promise<string> {
  return new URL((await read(cookie)).url ?? '').pathname;
}

/** Creates a webhook. Returns the headers of its request with `BODY`. */
async function createSigned(cookie: string) {
  const created = await site.request('post', WEBHOOKS, { cookie, body: newWebhook }).expect(201);
  const { subscription, secret } = subscriptionCreated.parse(created.body);
  const signed = {
    'x-svc-event': 'install.test',
    'x-svc-subscription-id': subscription.id,
    'x-svc-secret-version': '1',
    'x-svc-timestamp': '1',
    'x-svc-signature': serviceSignature({ secret, timestamp: 1, body: Buffer.from(BODY) }),
  };
  return { webhookId: subscription.id, signed };
}

test('the test receiver of a company accepts anything and says whether the signature holds [CONSOLE-14]', async () => {
  const cookie = await site.signIn();
  const path = await pathOf(cookie);
  const { webhookId, signed } = await createSigned(cookie);
  await send(path, signed).expect(204);
  await send(path, signed, `${BODY} `).expect(204);
  await send(path, { 'x-svc-subscription-id': webhookId }).expect(204);
  await supertest(site.server).post(path).expect(204);

  const { requests } = await read(cookie);
  expect(requests).toMatchObject([
    { event: null, webhookId: null, signature: 'missing', bodyBytes: 0 },
    { event: null, webhookId, signature: 'missing', bodyBytes: BODY.length },
    { event: 'install.test', webhookId, signature: 'invalid' },
    { event: 'install.test', webhookId, signature: 'valid', receivedAt: site.now().toISOString() },
  ]);
  const whole = await site.request('get', `${RECEIVER}/${requests[3]?.id}`, { cookie }).expect(200);
  expect(whole.body).toMatchObject({ ...requests[3], body: BODY, headers: signed });
});

test('neither other companies nor viewers can fill a test receiver, and production has none [CONSOLE-14]', async () => {
  const cookie = await site.signIn();
  const path = await pathOf(cookie);
  await send(path).expect(204);
  const [request] = (await read(cookie)).requests;
  const other = await site.signIn(PEOPLE.salesOwner);
  expect((await read(other)).requests).toEqual([]);
  await site.request('get', `${RECEIVER}/${request?.id}`, { cookie: other }).expect(404);
  const { signed } = await createSigned(cookie);
  await send(await pathOf(other), signed).expect(204);
  expect((await read(other)).requests).toMatchObject([{ webhookId: null, signature: 'invalid' }]);
  await send(path.replace(ids.sunny, ids.roofs)).expect(404);
  await send(`${path}A`).expect(404);
  expect((await read(await site.signIn(PEOPLE.viewer))).url).toMatch(/\/console\/…$/);
  const production = await startSite({ environment: 'production' });
  await supertest(production.server).post(path).expect(405);
});

test('a test receiver takes bodies of 64 KiB, and keeps 50 requests for a day [CONSOLE-14]', async () => {
  const cookie = await site.signIn();
  const path = await pathOf(cookie);
  await send(path, {}, 'a'.repeat(TEST_RECEIVER_LIMITS.bodyBytes)).expect(204);
  await send(path, {}, 'a'.repeat(TEST_RECEIVER_LIMITS.bodyBytes + 1)).expect(413);
  for (let sent = 0; sent < TEST_RECEIVER_LIMITS.requests; sent += 1) await send(path).expect(204);
  const { requests } = await read(cookie);
  expect(requests).toHaveLength(TEST_RECEIVER_LIMITS.requests);
  expect(new Set(requests.map(({ bodyBytes }) => bodyBytes))).toEqual(new Set([BODY.length]));
  site.pass(TEST_RECEIVER_LIMITS.hours * 3_600_000);
  expect((await read(await site.signIn())).requests).toEqual([]);
});
