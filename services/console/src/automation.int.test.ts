import { beforeEach, expect, test } from '@jest/globals';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import { auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { delivery, deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { subscription } from '@partner/proto-contracts/resources/subscription/subscription';
import { AUTOMATION_OPERATIONS } from '@partner/proto-contracts/surfaces/automation';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { expectStatus, ids, site, trailOf } from './testing/each-test-console.js';
import { send } from './testing/signed-in-console.js';

const API = '/automation/v1';
const ADDRESS = '203.0.113.7';

let key: string;

async function createKey(body: object = {}): Promise<string> {
  const made = await send('post', '/partner-api/api-keys', { kind: 'automation', ...body }).expect(201);
  return apiKeyCreated.parse(made.body).apiKey;
}

beforeEach(async () => {
  key = await createKey();
});

/** Sends a request as a program does: without a cookie and an origin. */
function call(method: 'get' | 'post' | 'delete', path: string, { apiKey = key, address = ADDRESS } = {}) {
  return site
    .request(method, path, { address })
    .unset('origin')
    .set('x-api-key', apiKey)
    .set('user-agent', 'Program/1.0');
}

/** A dead-lettered delivery of the company, and others. */
async function refusedDelivery() {
  const { rows } = site.jobState;
  const webhookId = await rows.subscription({ companyId: ids.sunny });
  for (let made = 0; made < 3; made += 1) await rows.event(ids.sunny);
  const [{ id } = { id: '' }] = await rows.deliveriesOf(webhookId);
  await rows.finish('dead_lettered', id);
  return { webhookId, id };
}

test('a program sees what its owner sees, in pages, and its retries and replays name the key [AUTH-15, CONSOLE-11]', async () => {
  const { webhookId, id } = await refusedDelivery();
  for (const path of [`/deliveries/${id}`, `/webhooks/${webhookId}/statistics`, '/statistics', '/webhooks']) {
    const [own, ofOwner] = [await call('get', `${API}${path}`), await send('get', `/partner-api${path}`)];
    expect([own.status, own.body]).toEqual([200, ofOwner.body]);
  }
  const page = async (query: string) =>
    deliveryPage.parse((await call('get', `${API}/deliveries?${query}`).expect(200)).body);
  const first = await page('limit=2');
  const second = await page(`limit=2&cursor=${first.nextCursor ?? ''}`);
  expect([first.deliveries.length, second.deliveries.length, second.nextCursor]).toEqual([2, 1, null]);

  const replayed = await call('post', `${API}/deliveries/${id}/replay`).expect(202);
  expect(delivery.parse(replayed.body)).toMatchObject({ replayOf: id, state: 'pending' });
  const [entry] = await trailOf(ids.sunny, 'delivery.replayed');
  const displayName = `API key ${key.split('.')[0]}`;
  expect(entry).toMatchObject({
    ...{ actor: { membershipId: null, displayName }, remoteAddress: ADDRESS, userAgent: 'Program/1.0' },
    subject: { type: 'delivery', id },
  });
  const trail = await call('get', `${API}/audit-entries?action=delivery.replayed`).expect(200);
  expect(auditPage.parse(trail.body).entries).toEqual([entry]);
  const read = await call('get', `${API}/webhooks/${webhookId}`).expect(200);
  expect(subscription.parse(read.body).url).toMatch(/…$/);
});

test('an operation of a program is served by one of the console, or proposes, and none changes a secret or an endpoint [AUTH-15, CONFIG-8]', async () => {
  const writes = AUTOMATION_OPERATIONS.filter(({ method }) => method !== 'get').map(({ id }) => id);
  expect(new Set(writes)).toEqual(
    new Set([
      'automationRetryDelivery',
      'automationReplayDelivery',
      'automationReplayDeliveries',
      'automationCancelReplay',
      'planWebhooks',
      'proposeWebhooks',
    ]),
  );
  const own = AUTOMATION_OPERATIONS.filter(({ servedBy }) => servedBy === undefined).map(({ id }) => id);
  expect(new Set(own)).toEqual(new Set(['exportWebhooks', 'planWebhooks', 'proposeWebhooks']));
  for (const { servedBy, path, method } of AUTOMATION_OPERATIONS) {
    if (servedBy === undefined) continue;
    const same = CONSOLE_OPERATIONS.find(({ id }) => id === servedBy);
    expect([same?.path.replace('/partner-api', API), same?.method]).toEqual([path, method]);
  }
  await call('get', `${API}/api-keys`).expect(404);
});

test('a key that is bound to networks is 403 from elsewhere, which the owners learn from its text [AUTH-17]', async () => {
  const apiKey = await createKey({ networks: ['203.0.113.0/28', '2001:db8:7::/48'] });
  for (const address of ['203.0.113.15', '::ffff:203.0.113.15', '2001:db8:7:1::2'])
    await call('get', `${API}/webhooks`, { apiKey, address }).expect(200);
  for (const address of ['203.0.113.16', '2001:db8:8::2', 'unknown']) {
    const refused = await call('get', `${API}/webhooks`, { apiKey, address }).expect(403);
    expect(refused.body).toMatchObject({
      code: 'permission_denied',
      error: expect.stringContaining('is bound to networks'),
    });
    expect(refused.get('ratelimit-policy')).toContain('"failed-authentication"');
  }
});

test('a key that has ended or was revoked is refused [AUTH-12, AUTH-16]', async () => {
  const revoked = await createKey();
  await send('delete', `/partner-api/api-keys/${revoked.split('.')[0]}`).expect(204);
  await expectStatus(401, call('get', `${API}/webhooks`, { apiKey: revoked }));
  site.pass(90 * 24 * 3_600_000);
  await expectStatus(401, call('get', `${API}/webhooks`));
});

test('all keys of a company share a limit of 600 requests a minute [LIMIT-13]', async () => {
  const left: (string | undefined)[] = [];
  for (const apiKey of [key, await createKey()]) {
    const response = await call('get', `${API}/webhooks`, { apiKey }).expect(200);
    expect(response.get('ratelimit-policy')).toBe('"default";q=600;w=60');
    left.push(/r=(\d+)/.exec(response.get('ratelimit') ?? '')?.[1]);
  }
  expect(left).toEqual(['599', '598']);
});
