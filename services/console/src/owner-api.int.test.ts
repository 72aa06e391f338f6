import { expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { apiKeyCreated, apiKeyPage } from '@partner/proto-contracts/resources/api-key/api-key';
import { auditPage } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { bulkReplay, bulkReplayPage } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { delivery, deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { eventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { serviceStatus } from '@partner/proto-contracts/resources/service-status/service-status';
import {
  subscriptionActivated,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import type { z } from 'zod';
import {
  EVENTS,
  exampleRequests,
  ids,
  newWebhook,
  REPLAY,
  SESSION,
  site,
  trailOf,
  WEBHOOKS,
} from './testing/each-test-console.js';
import { cookie, send } from './testing/signed-in-console.js';
import { PASSWORD, PEOPLE } from './testing/test-job-state.js';

const KEYS = '/partner-api/api-keys';

/** Reads a list of two in pages of one. */
async function readPages<Page extends { readonly nextCursor: string | null }, Entry>(
  path: string,
  page: z.ZodType<Page>,
  entriesOf: (read: Page) => readonly Entry[],
): Promise<readonly Entry[]> {
  const read = async (query: string) => {
    const response = await send('get', `${path}${path.includes('?') ? '&' : '?'}limit=1${query}`).expect(200);
    return page.parse(response.body);
  };
  const first = await read('');
  const second = await read(`&cursor=${first.nextCursor ?? ''}`);
  expect([entriesOf(first).length, second.nextCursor]).toEqual([1, null]);
  return [...entriesOf(first), ...entriesOf(second)];
}

async function createKey() {
  const response = await send('post', KEYS, { kind: 'installer-company', description: 'Board' }).expect(201);
  return apiKeyCreated.parse(response.body);
}

/** A webhook of a company with this many deliveries of events, newest first. */
async function webhookWith(count: number, companyId = ids.sunny) {
  const { rows } = site.jobState;
  const webhookId = await rows.subscription({ companyId });
  for (let made = 0; made < count; made += 1) await rows.event(companyId);
  const deliveries = (await rows.deliveriesOf(webhookId)).reverse();
  return { webhookId, deliveries };
}

const idsOf = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

test('an API key is shown completely only once, and keys are listed in pages, newest first [AUTH-10, AUTH-14, CONSOLE-8]', async () => {
  const { key, apiKey } = await createKey();
  expect(apiKey.startsWith(`${key.id}.svc_`)).toBe(true);
  expect(key).toMatchObject({ description: 'Board', createdAt: site.now().toISOString() });
  const second = await createKey();
  const listed = await readPages(KEYS, apiKeyPage, ({ keys }) => keys);
  expect(listed).toEqual([second.key, key]);
  expect(JSON.stringify(listed) + site.logged()).not.toContain(apiKey.slice(apiKey.indexOf('.') + 1));
});

test('the audit trail is the company’s own, in pages, newest first', async () => {
  for (const email of [PEOPLE.salesOwner, PEOPLE.installerOwner]) await site.signIn(email);
  const path = '/partner-api/audit-entries?action=session.started';
  const listed = await readPages(path, auditPage, ({ entries }) => entries);
  expect(listed).toEqual(await trailOf(ids.sunny, 'session.started'));
});

test('an owner chooses the emails of that owner alone [NOTIFY-10]', async () => {
  const path = '/partner-api/notification-settings';
  await send('put', path, { emails: 'never' }).expect(400);
  const changed = await send('put', path, { emails: 'daily' }).expect(200);
  expect(changed.body).toEqual({ emails: 'daily', email: PEOPLE.installerOwner, hasMailServer: false });
  const other = await site.signIn(PEOPLE.salesOwner);
  for (const [session, emails] of [[cookie, 'daily'] as const, [other, 'immediately'] as const]) {
    const read = await site.request('get', path, { cookie: session }).expect(200);
    expect(read.body).toMatchObject({ emails });
  }
});

test.each([
  ['a webhook', (webhookId: string) => `${WEBHOOKS}/${webhookId}/deliveries`],
  ['the company', () => '/partner-api/deliveries'],
])('deliveries of %s are listed in pages, newest first [WEBHOOK-10, DELIVERY-21]', async (_of, pathOf) => {
  await webhookWith(1, await site.jobState.rows.company());
  const { webhookId, deliveries } = await webhookWith(2);
  const listed = await readPages(pathOf(webhookId), deliveryPage, (page) => page.deliveries);
  expect(idsOf(listed)).toEqual(idsOf(deliveries));
  const dead = await send('get', `${pathOf(webhookId)}?status=dead_lettered`).expect(200);
  expect(deliveryPage.parse(dead.body).deliveries).toEqual([]);

  // The reference shows the newest ids of the company that is signed in, and no others.
  await webhookWith(1, await site.jobState.rows.company());
  const own = await send('get', '/docs/ids.json').expect(200).expect('cache-control', 'private, no-store');
  expect(own.body).toMatchObject({
    company: 'Sunny Installers',
    ids: { dlv: listed[0]?.id, evt: listed[0]?.eventId, whk: webhookId },
  });
  const signedOut = await site.request('get', '/docs/ids.json', { cookie: '' }).expect(200);
  expect(signedOut.body).toEqual({});
});

test('bulk replays are started, cancelled and listed in pages, newest first [REPLAY-1, REPLAY-4]', async () => {
  const { webhookId, deliveries } = await webhookWith(1);
  await site.jobState.rows.finish('dead_lettered', ...idsOf(deliveries));
  const span = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
  const path = `${WEBHOOKS}/${webhookId}/replay`;
  const start = () => send('post', path, { states: ['dead_lettered'], ...span }).expect(202);
  const first = bulkReplay.parse((await start()).body);
  const cancelled = await send('delete', `/partner-api/replays/${first.id}`).expect(200);
  const second = await start();
  const listed = await readPages(`${path}s`, bulkReplayPage, ({ replays }) => replays);
  expect(listed).toEqual([second.body, cancelled.body]);
});

test('events are listed in pages, newest first, and traced to each subscription [EVENT-6]', async () => {
  const { webhookId, deliveries } = await webhookWith(2);
  const listed = await readPages('/partner-api/events', eventPage, ({ events }) => events);
  expect(idsOf(listed)).toEqual(deliveries.map(({ event_id }) => event_id));
  const response = await send('get', `/partner-api/events/${listed[0]?.id}`).expect(200);
  expect(eventWithTrail.parse(response.body).subscriptions).toMatchObject([
    { subscriptionId: webhookId, verdict: 'queued' },
  ]);
});

test('a webhook is created paused, shows its secret once, is tested and then activated [HTTP-14, SERVICE-5, WEBHOOK-11]', async () => {
  const created = await send('post', WEBHOOKS, newWebhook).expect(201);
  const { subscription: paused, secret } = subscriptionCreated.parse(created.body);
  expect(paused).toMatchObject({ ...newWebhook, state: 'paused', verified: false, schemaVersion: 1 });
  expect(secret).toMatch(/^whsec_/);
  expect(created.headers['location']).toBe(`${WEBHOOKS}/${paused.id}`);

  const early = await send('post', `${WEBHOOKS}/${paused.id}/activate`).expect(409);
  expect(early.body).toMatchObject({ code: 'test_delivery_required' });

  const queued = await send('post', `${WEBHOOKS}/${paused.id}/test`, {}).expect(202);
  expect(delivery.parse(queued.body)).toMatchObject({
    subscriptionId: paused.id,
    event: 'install.test',
    state: 'pending',
  });
  const example = await send('post', `${WEBHOOKS}/${paused.id}/test`, { event: 'install.job_assigned' });
  expect(delivery.parse(example.body)).toMatchObject({ event: 'install.job_assigned', isTest: true });
  await site.jobState.acceptTest(paused.id);

  const activated = await send('post', `${WEBHOOKS}/${paused.id}/activate`).expect(200);
  const { backfillId, ...active } = subscriptionActivated.parse(activated.body);
  expect(active).toMatchObject({ state: 'active', verified: true });
  expect(backfillId).toBeNull();

  const read = await send('get', `${WEBHOOKS}/${paused.id}`).expect(200);
  const condition: unknown = expect.objectContaining({ state: 'active', waiting: 0 });
  expect(read.body).toEqual({ ...active, condition });
  const listed = await send('get', WEBHOOKS).expect(200);
  expect(listed.body).toEqual({ subscriptions: [{ ...active, condition, url: shortUrl(active.url) }] });
  const asViewer = await site.request('get', `${WEBHOOKS}/${paused.id}`, {
    cookie: await site.signIn(PEOPLE.viewer),
  });
  expect(asViewer.body).toEqual({ ...active, condition, url: shortUrl(active.url) });
  expect(listed.text + read.text + site.logged()).not.toContain(secret);
});

test('the event catalogue lists every event with its allowed classes, and returns 304 while it is unchanged [EVENT-2, EVENT-7]', async () => {
  const response = await send('get', EVENTS).expect(200);
  const { events, signatureScheme } = eventCatalogue.parse(response.body);
  expect(signatureScheme).toBe('v1');
  expect(events.find(({ name }) => name === 'install.status_changed')).toMatchObject({
    group: 'install',
    meaning: 'job status moved',
    classes: ['INSTALLER'],
    schemaVersion: 1,
    schema: { type: 'object' },
    example: { event: 'install.status_changed', schemaVersion: 1 },
  });
  const etag = response.get('etag') ?? '';
  const again = await send('get', EVENTS).set('if-none-match', etag).expect(304);
  expect([again.text, again.get('etag')]).toEqual(['', etag]);
});

test('every change sends its owner, the address and the browser to job-state [CONSOLE-11]', async () => {
  const changes = CONSOLE_OPERATIONS.filter(
    ({ method, path }) => method !== 'get' && !path.startsWith('/partner-api/session'),
  );
  for (const { method, path, body } of changes.flatMap(exampleRequests)) {
    const sent = site.request(method, path, { cookie, address: '203.0.113.7', body });
    await sent.set('user-agent', 'Browser/1.0');
  }
  const company = { companyId: ids.sunny, companyClass: 'INSTALLER' };
  const person = { membershipId: ids.olive, displayName: 'Olive Owner' };
  const client = { remoteAddress: '203.0.113.7', userAgent: 'Browser/1.0' };
  const caller = { kind: 'owner', ...company, role: 'owner', ...person, ...client };
  const called = site.jobState.calledForOwners();
  expect(new Set(called.map(({ operation }) => operation)).size).toBeGreaterThan(20);
  for (const call of called) expect(call).toEqual({ operation: call.operation, caller });
});

test('the status needs no session, and requests within 4 seconds share a measurement [CONSOLE-12]', async () => {
  const read = async () => {
    const { text } = await site.request('get', '/partner-api/status').expect(200);
    return serviceStatus.parse(JSON.parse(text));
  };
  const measured = () =>
    site.jobState.called.filter(({ operation }) => operation === 'measureServiceStatus').length;
  const [first, second] = await Promise.all([read(), read()]);
  expect(first.checkedAt).toBe(site.now().toISOString());
  expect(second).toEqual(first);
  site.pass(3_999);
  expect(await read()).toEqual(first);
  expect(measured()).toBe(1);
  site.pass(1);
  expect((await read()).checkedAt).toBe(site.now().toISOString());
  expect(measured()).toBe(2);
});

test('anyone reads the addresses and the public keys of webhooks, and may cache them [SECRET-14, WEBHOOK-18]', async () => {
  const read = async (path: string): Promise<unknown> => {
    const request = site.request('get', path).expect(200).expect('cache-control', 'public, max-age=300');
    return JSON.parse((await request).text);
  };
  expect(await read('/.well-known/webhooks')).toEqual({ egressAddresses: ['192.0.2.10/32'] });
  expect(await read(`/.well-known/webhooks/${newId('whk')}`)).toEqual({
    keys: [{ publicKey: expect.stringMatching(/^whpk_/), signs: true }],
  });
  await site.request('get', '/.well-known/webhooks/whk_1').expect(404).expect('cache-control', 'no-store');
});

const WEBHOOK = `${WEBHOOKS}/whk_01j6z8k3s9f2v7c4x5b6n7m8q9`;

const INVALID = [
  ['post', SESSION, { email: 'olive\u0000@sunny.example', password: PASSWORD }, 'email'],
  ['post', SESSION, { email: PEOPLE.installerOwner, password: 1 }, 'password'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'http://receiver.example/' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'https://receiver.example:8443/' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'https://user:pass@receiver.example/' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, url: 'https://receiver.example/\n' }, 'url'],
  ['post', WEBHOOKS, { ...newWebhook, events: ['install.test', 'install.tset'] }, 'events.1'],
  ['post', WEBHOOKS, { ...newWebhook, events: ['*'] }, 'events.0'],
  ['patch', WEBHOOK, { companyId: 'cmp_roofs' }, 'body'],
  ['patch', WEBHOOK, { headers: [{ name: 'Host', value: 'x' }] }, 'headers.0.name'],
  ['post', `${WEBHOOK}/activate`, { backfill: 'yes' }, 'backfill'],
  ['post', `${WEBHOOK}/test`, { headers: [{ name: 'x-tenant', value: 'east' }] }, 'headers'],
  ['post', `${WEBHOOK}/test`, { pendingSecretVersion: 2 }, 'secretVersion'],
  ['post', `${WEBHOOK}/activate-secret`, undefined, 'body'],
  ['post', `${WEBHOOK}/replay`, { ...REPLAY, to: REPLAY.from }, 'to'],
  ['post', `${WEBHOOK}/replay`, { ...REPLAY, to: '2026-10-30T00:00:01Z' }, 'to'],
  ['post', `${WEBHOOK}/replay`, { ...REPLAY, event: 'install.tset' }, 'event'],
  ['get', `${WEBHOOK}/deliveries?fromNumber=3&toNumber=2`, undefined, 'toNumber'],
  ['get', `/partner-api/events?event=*`, undefined, 'event'],
  ['get', `/partner-api/statistics?from=2026-07-01T00:00:00Z&to=2026-08-01T00:00:00.001Z`, undefined, 'to'],
  ['get', `${WEBHOOK}/statistics?from=9999-01-01T00:00:00Z`, undefined, 'from'],
  ['post', `/partner-api/api-keys`, { kind: 'installer-contractor' }, 'boundCompanyId'],
  ['post', `/partner-api/api-keys`, { kind: 'general', boundCompanyId: newId('cmp') }, 'boundCompanyId'],
  ['post', `/partner-api/api-keys/${newId('key')}/rotate`, { overlapHours: 1.5 }, 'overlapHours'],
  ['get', `/partner-api/installers?limit=101`, undefined, 'limit'],
  ['get', `/partner-api/audit-entries?action=webhook.unknown`, undefined, 'action'],
] as const;

test('an invalid input is 400, names the field and does nothing [REPLAY-1, WEBHOOK-11]', async () => {
  for (const [method, path, body, field] of INVALID) {
    const response = await send(method, path, body);
    expect([path, body, response.body]).toEqual([
      path,
      body,
      expect.objectContaining({
        code: 'invalid_argument',
        details: [expect.objectContaining({ path: field })],
      }),
    ]);
  }
  // job-state checks the spans of statistics.
  const called = site.jobState.calledForOwners().map(({ operation }) => operation);
  expect(called).toEqual(['getStatistics', 'getWebhookStatistics']);
});

test('a cursor of another list is 400', async () => {
  for (const list of [
    'webhooks/whk_1/deliveries',
    'webhooks/whk_1/replays',
    'deliveries',
    'events',
    'api-keys',
    'installers',
    'audit-entries',
  ]) {
    const response = await send('get', `/partner-api/${list}?cursor=${newId('ses')}`).expect(400);
    expect(response.body).toMatchObject({ code: 'cursor_invalid', details: [{ path: 'cursor' }] });
  }
});
