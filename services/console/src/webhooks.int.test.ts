import { describe, expect, test } from '@jest/globals';
import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { eventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import {
  secretRotated,
  subscription,
  subscriptionActivated,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import {
  createWebhook,
  EVENTS,
  expectStatus,
  ids,
  newWebhook,
  site,
  WEBHOOKS,
} from './testing/each-test-console.js';
import { cookie, send } from './testing/signed-in-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const WEBHOOK = `${WEBHOOKS}/whk_01j6z8k3s9f2v7c4x5b6n7m8q9`;

describe('a webhook subscription', () => {
  test('is created paused, shows its secret once, is tested and then activated [HTTP-14, SERVICE-5, WEBHOOK-11]', async () => {
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
    expect(read.body).toEqual(active);
    const listed = await send('get', WEBHOOKS).expect(200);
    expect(listed.body).toEqual({ subscriptions: [{ ...active, url: shortUrl(active.url) }] });
    const asViewer = await site.request('get', `${WEBHOOKS}/${paused.id}`, {
      cookie: await site.signIn(PEOPLE.viewer),
    });
    expect(asViewer.body).toEqual({ ...active, url: shortUrl(active.url) });
    expect(listed.text + read.text).not.toContain(secret);
  });

  test('is created for the company of the session, even if the body names another', async () => {
    await expectStatus(201, send('post', WEBHOOKS, { ...newWebhook, companyId: ids.roofs }));
    const caller = { companyId: ids.sunny, membershipId: ids.olive };
    expect(site.jobState.calledForOwners()).toMatchObject([{ operation: 'createWebhook', caller }]);
  });

  test('is paused and activated, with the events missed during the pause on request [WEBHOOK-7, WEBHOOK-10]', async () => {
    const id = await createWebhook(cookie);
    await site.jobState.acceptTest(id);
    for (const [body, backfillId] of [
      [undefined, null],
      [{}, null],
      [{ backfill: false }, null],
      [{ backfill: true }, expect.stringMatching(/^rpl_/)],
    ] as const) {
      const paused = await send('post', `${WEBHOOKS}/${id}/pause`).expect(200);
      expect(subscription.parse(paused.body).state).toBe('paused');
      const activated = await send('post', `${WEBHOOKS}/${id}/activate`, body).expect(200);
      expect(activated.body).toMatchObject({ id, state: 'active', backfillId });
    }
  });

  test('is changed in the fields of the body, and paused by a new URL [WEBHOOK-10]', async () => {
    const id = await createWebhook(cookie);
    const patch = async (body: object) => {
      const response = await send('patch', `${WEBHOOKS}/${id}`, body).expect(200);
      return subscription.parse(response.body);
    };
    const headers = [
      { name: 'X-Key', value: 'hidden' },
      { name: 'x-former', value: null },
    ];
    expect(await patch({ headers, deliveriesPerSecond: 5 })).toMatchObject({
      headerNames: ['x-key'],
      deliveriesPerSecond: 5,
    });
    expect(await patch({ events: ['install.test'] })).toMatchObject({
      ...newWebhook,
      events: ['install.test'],
    });
    expect(await patch({ description: '', schemaVersion: 1, id: 'whk_other' })).toMatchObject({
      id,
      url: newWebhook.url,
      description: '',
    });
    expect(await patch({ url: 'https://receiver.example/v2' })).toMatchObject({
      url: 'https://receiver.example/v2',
      state: 'paused',
      verified: false,
    });
  });

  test('is deleted permanently [WEBHOOK-8, WEBHOOK-10]', async () => {
    const id = await createWebhook(cookie);
    const response = await send('delete', `${WEBHOOKS}/${id}`).expect(204);
    expect(response.text).toBe('');
    await expectStatus(404, send('delete', `${WEBHOOKS}/${id}`));
    const listed = await send('get', WEBHOOKS).expect(200);
    expect(listed.body).toEqual({ subscriptions: [] });
  });

  test('gets a new secret, which is shown once, tested and then activated [SECRET-3, SECRET-4, SECRET-8, SERVICE-5]', async () => {
    const id = await createWebhook(cookie);
    const rotated = await send('post', `${WEBHOOKS}/${id}/rotate-secret`).expect(201);
    const { pendingSecretVersion, secret, ...rest } = secretRotated.parse(rotated.body);
    expect(pendingSecretVersion).toBe(2);
    expect(rest.subscription).toMatchObject({ id, secretVersion: 1, pendingSecretVersion: 2 });
    const read = await send('get', `${WEBHOOKS}/${id}`).expect(200);
    expect(read.body).toEqual(rest.subscription);
    expect(read.text).not.toContain(secret);

    const test = (secretVersion: unknown) => send('post', `${WEBHOOKS}/${id}/test`, { secretVersion });
    await expectStatus(202, test(2));
    expect((await test(3).expect(409)).body).toMatchObject({ code: 'secret_version_mismatch' });
    const activate = (body: object) => send('post', `${WEBHOOKS}/${id}/activate-secret`, body);
    const unknown = await activate({ pendingSecretVersion: 3 }).expect(409);
    expect(unknown.body).toMatchObject({ code: 'secret_version_mismatch' });
    const activated = await activate({ pendingSecretVersion: 2 }).expect(200);
    expect(subscription.parse(activated.body)).toMatchObject({
      secretVersion: 2,
      pendingSecretVersion: null,
    });
  });

  test.each([
    ['patch', '', {}, 'body'],
    ['patch', '', { companyId: 'cmp_roofs' }, 'body'],
    ['patch', '', { url: 'http://receiver.example/' }, 'url'],
    ['patch', '', { events: [] }, 'events'],
    ['patch', '', { events: null }, 'events'],
    ['patch', '', { schemaVersion: 2 }, 'schemaVersion'],
    ['patch', '', { deliveriesPerSecond: 0 }, 'deliveriesPerSecond'],
    ['patch', '', { headers: [{ name: 'Host', value: 'x' }] }, 'headers.0.name'],
    ['patch', '', { description: 'x'.repeat(201) }, 'description'],
    ['post', '/activate', { backfill: 'yes' }, 'backfill'],
    ['post', '/test', { event: 'install.*' }, 'event'],
    ['post', '/test', { url: 'http://receiver.example/' }, 'url'],
    ['post', '/test', { headers: [{ name: 'x-tenant', value: 'east' }] }, 'headers'],
    ['post', '/test', { secretVersion: '2' }, 'secretVersion'],
    ['post', '/test', { pendingSecretVersion: 2 }, 'secretVersion'],
    ['post', '/test', { secretVersion: 2 ** 31 }, 'secretVersion'],
    ['post', '/activate-secret', {}, 'pendingSecretVersion'],
    ['post', '/activate-secret', { pendingSecretVersion: 0 }, 'pendingSecretVersion'],
    ['post', '/activate-secret', { pendingSecretVersion: 1.5 }, 'pendingSecretVersion'],
    ['post', '/activate-secret', undefined, 'body'],
  ] as const)(
    'is not changed by %s %s with %j, which is 400 and names the field',
    async (method, path, body, field) => {
      const response = await send(method, `${WEBHOOK}${path}`, body).expect(400);
      expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
      expect(site.jobState.calledForOwners()).toEqual([]);
    },
  );

  test.each([
    ['plain HTTP', { url: 'http://receiver.example/' }, 'url'],
    ['another port', { url: 'https://receiver.example:8443/' }, 'url'],
    ['credentials in the URL', { url: 'https://user:pass@receiver.example/' }, 'url'],
    ['text that is not a URL', { url: 'receiver' }, 'url'],
    ['a line break in the URL', { url: 'https://receiver.example/\n' }, 'url'],
    ['no event', { events: [] }, 'events'],
    ['an event that is not in the catalogue', { events: ['install.test', 'install.tset'] }, 'events.1'],
    ['a group that is not in the catalogue', { events: ['nothing.*'] }, 'events.0'],
    ['every event', { events: ['*'] }, 'events.0'],
    ['a schema version that does not exist', { schemaVersion: 2 }, 'schemaVersion'],
    ['a description that is too long', { description: 'x'.repeat(201) }, 'description'],
  ])('with %s is 400 and names the field [WEBHOOK-11]', async (_name, change, field) => {
    const body = { ...newWebhook, ...change };
    const response = await send('post', WEBHOOKS, body).expect(400);
    expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    expect(site.jobState.calledForOwners()).toEqual([]);
  });
});

describe('the event catalogue', () => {
  test('lists every event with its allowed classes, and returns 304 while it is unchanged [EVENT-2, EVENT-7]', async () => {
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
});
