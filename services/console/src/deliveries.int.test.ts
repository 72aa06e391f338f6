import { describe, expect, test } from '@jest/globals';
import { bulkReplay, bulkReplayPage } from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { ids, site, WEBHOOKS } from './testing/each-test-console.js';
import { send } from './testing/signed-in-console.js';

const DELIVERIES = '/partner-api/deliveries';

/** A webhook of a company with this many deliveries of events, newest first. */
async function webhookWith(count: number, companyId = ids.sunny) {
  const { rows } = site.jobState;
  const webhookId = await rows.subscription({ companyId });
  for (let made = 0; made < count; made += 1) await rows.event(companyId);
  const deliveries = (await rows.deliveriesOf(webhookId)).map(({ id }) => id).reverse();
  return { webhookId, deliveries };
}

const idsOf = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

describe('deliveries', () => {
  test.each([
    ['a webhook', (webhookId: string) => `${WEBHOOKS}/${webhookId}/deliveries`],
    ['the company', () => DELIVERIES],
  ])('of %s are listed in pages, newest first [WEBHOOK-10, DELIVERY-21]', async (_of, pathOf) => {
    await webhookWith(1, await site.jobState.rows.company());
    const { webhookId, deliveries } = await webhookWith(3);
    const list = async (query: string) => {
      const response = await send('get', `${pathOf(webhookId)}?${query}`).expect(200);
      return deliveryPage.parse(response.body);
    };
    const first = await list('limit=2');
    const second = await list(`limit=2&cursor=${first.nextCursor ?? ''}`);
    expect(idsOf([...first.deliveries, ...second.deliveries])).toEqual(deliveries);
    expect(second.nextCursor).toBeNull();
    expect((await list('status=dead_lettered')).deliveries).toEqual([]);

    // The reference shows the newest ids of the company that is signed in, and no others.
    await webhookWith(1, await site.jobState.rows.company());
    const [newest] = first.deliveries;
    const own = await send('get', '/docs/ids.json').expect(200).expect('cache-control', 'private, no-store');
    expect(own.body).toMatchObject({
      company: 'Sunny Installers',
      ids: { dlv: deliveries[0], evt: newest?.eventId, whk: webhookId },
    });
    const signedOut = await site.request('get', '/docs/ids.json', { cookie: '' }).expect(200);
    expect(signedOut.body).toEqual({});
  });
});

describe('a bulk replay', () => {
  test('is started, cancelled and listed in pages, newest first [REPLAY-1, REPLAY-4]', async () => {
    const { webhookId, deliveries } = await webhookWith(1);
    await site.jobState.rows.finish('dead_lettered', ...deliveries);
    const span = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const body = { states: ['dead_lettered'], ...span };
    const path = `${WEBHOOKS}/${webhookId}/replay`;
    const first = bulkReplay.parse((await send('post', path, body).expect(202)).body);
    const cancelled = await send('delete', `/partner-api/replays/${first.id}`).expect(200);
    const second = await send('post', path, body).expect(202);
    const list = async (query: string) => {
      const response = await send('get', `${WEBHOOKS}/${webhookId}/replays?${query}`).expect(200);
      return bulkReplayPage.parse(response.body);
    };
    const newest = await list('limit=1');
    const older = await list(`limit=1&cursor=${newest.nextCursor ?? ''}`);
    expect([...newest.replays, ...older.replays]).toEqual([second.body, cancelled.body]);
    expect(older.nextCursor).toBeNull();
  });
});

describe('events', () => {
  test('are listed in pages, newest first, and traced to each subscription [EVENT-6]', async () => {
    const { webhookId } = await webhookWith(2);
    const list = async (query: string) => {
      const response = await send('get', `/partner-api/events?${query}`).expect(200);
      return eventPage.parse(response.body);
    };
    const first = await list('limit=1');
    const second = await list(`limit=1&cursor=${first.nextCursor ?? ''}`);
    const stored = (await site.jobState.rows.deliveriesOf(webhookId)).map(({ event_id }) => event_id);
    expect(idsOf([...first.events, ...second.events])).toEqual(stored.reverse());
    expect(second.nextCursor).toBeNull();
    const response = await send('get', `/partner-api/events/${stored[0]}`).expect(200);
    expect(eventWithTrail.parse(response.body).subscriptions).toMatchObject([
      { subscriptionId: webhookId, verdict: 'queued' },
    ]);
  });
});
