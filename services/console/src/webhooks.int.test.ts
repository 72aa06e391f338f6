import { describe, expect, test } from '@jest/globals';
import { delivery } from '@partner/proto-contracts/resources/delivery/delivery';
import { eventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import {
  subscriptionActivated,
  subscriptionCreated,
} from '@partner/proto-contracts/resources/subscription/subscription';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { EVENTS, newWebhook, site, WEBHOOKS } from './testing/each-test-console.js';
import { send } from './testing/signed-in-console.js';
import { PEOPLE } from './testing/test-job-state.js';

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
    const condition: unknown = expect.objectContaining({ state: 'active', waiting: 0 });
    expect(read.body).toEqual({ ...active, condition });
    const listed = await send('get', WEBHOOKS).expect(200);
    expect(listed.body).toEqual({ subscriptions: [{ ...active, condition, url: shortUrl(active.url) }] });
    const asViewer = await site.request('get', `${WEBHOOKS}/${paused.id}`, {
      cookie: await site.signIn(PEOPLE.viewer),
    });
    expect(asViewer.body).toEqual({ ...active, condition, url: shortUrl(active.url) });
    expect(listed.text + read.text).not.toContain(secret);
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
