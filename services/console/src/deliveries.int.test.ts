import { describe, expect, test } from '@jest/globals';
import {
  bulkReplay,
  bulkReplayPage,
  bulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { companyStatistics } from '@partner/proto-contracts/resources/statistics/statistics';
import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import {
  delivery,
  deliveryPage,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { ids, REPLAY, site, WEBHOOKS } from './testing/each-test-console.js';
import { send } from './testing/signed-in-console.js';
import { PEOPLE } from './testing/test-job-state.js';

const DELIVERIES = '/partner-api/deliveries';

/** A webhook of a company with this many deliveries of events, newest first. */
async function webhookWith(count: number, companyId = ids.sunny) {
  const { rows } = site.jobState;
  const webhookId = await rows.subscription({ companyId });
  for (let made = 0; made < count; made += 1) await rows.event(companyId);
  const deliveries = (await rows.deliveriesOf(webhookId)).map(({ id }) => id).reverse();
  const [newest] = deliveries;
  invariant(newest, 'there is a delivery');
  return { webhookId, deliveries, newest };
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
  });

  test.each([
    ['limit=0', 'limit', 'invalid_argument'],
    ['limit=101', 'limit', 'invalid_argument'],
    ['limit=x', 'limit', 'invalid_argument'],
    ['status=lost', 'status', 'invalid_argument'],
    ['event=install', 'event', 'invalid_argument'],
    ['from=2026-08-26', 'from', 'invalid_argument'],
    ['to=tomorrow', 'to', 'invalid_argument'],
    ['resourceId=', 'resourceId', 'invalid_argument'],
    ['search=', 'search', 'invalid_argument'],
    ['fromNumber=0', 'fromNumber', 'invalid_argument'],
    ['fromNumber=3&toNumber=2', 'toNumber', 'invalid_argument'],
    ['cursor=x', 'cursor', 'cursor_invalid'],
  ])('are not listed with %s', async (query, field, code) => {
    const response = await send('get', `${WEBHOOKS}/${newId('whk')}/deliveries?${query}`).expect(400);
    expect(response.body).toMatchObject({ code, details: [{ path: field }] });
  });

  test('are read, retried and replayed, for the company of the session [DELIVERY-20, REPLAY-1, WEBHOOK-10]', async () => {
    const { rows, database } = site.jobState;
    const { newest } = await webhookWith(1);
    await database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1, next_attempt_at = now() + interval '1 hour' where id = $1`,
      [newest],
    );
    const retried = await send('post', `${DELIVERIES}/${newest}/retry`).expect(202);
    const read = await send('get', `${DELIVERIES}/${newest}`).expect(200);
    expect(deliveryWithAttempts.parse(read.body).delivery).toEqual(retried.body);
    await rows.finish('dead_lettered', newest);
    const replayed = await send('post', `${DELIVERIES}/${newest}/replay`).expect(202);
    expect(delivery.parse(replayed.body)).toMatchObject({ replayOf: newest, state: 'pending' });
    const again = await send('post', `${DELIVERIES}/${newest}/replay`).expect(409);
    expect(again.body).toMatchObject({ code: 'replay_in_progress' });
  });
});

describe('a bulk replay', () => {
  test('is previewed, started, listed, read and cancelled [REPLAY-1, REPLAY-4, WEBHOOK-10]', async () => {
    const { webhookId, deliveries } = await webhookWith(1);
    await site.jobState.rows.finish('dead_lettered', ...deliveries);
    const span = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    const body = { states: ['dead_lettered'], ...span };
    const path = `${WEBHOOKS}/${webhookId}/replay`;
    const previewed = await send('post', path, { ...body, preview: true }).expect(200);
    expect(bulkReplayPreview.parse(previewed.body).deliveries).toBe(1);
    const begun = await send('post', path, body).expect(202);
    const first = bulkReplay.parse(begun.body);
    const one = `/partner-api/replays/${first.id}`;
    expect((await send('get', one).expect(200)).body).toEqual(begun.body);
    const cancelled = await send('delete', one).expect(200);
    expect(bulkReplay.parse(cancelled.body)).toMatchObject({ id: first.id, state: 'cancelled' });
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

  test.each([
    ['no states', { states: [] }, 'states'],
    ['a state that cannot be replayed', { states: ['held'] }, 'states.0'],
    ['no beginning', { from: undefined }, 'from'],
    ['an end that is not a date-time', { to: '2026-08-31' }, 'to'],
    ['an end that is not after the beginning', { to: REPLAY.from }, 'to'],
    ['a span of more than 90 days', { to: '2026-10-30T00:00:01Z' }, 'to'],
    ['an event that is not in the catalogue', { event: 'install.tset' }, 'event'],
    ['no rate', { perMinute: 0 }, 'perMinute'],
    ['a rate that is too high', { perMinute: 60_001 }, 'perMinute'],
    ['a preview that is neither true nor false', { preview: 'yes' }, 'preview'],
  ])('with %s is 400 and names the field [REPLAY-1]', async (_name, change, field) => {
    const body = { ...REPLAY, ...change };
    const response = await send('post', `${WEBHOOKS}/${newId('whk')}/replay`, body).expect(400);
    expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
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

  test.each([
    ['limit=0', 'limit', 'invalid_argument'],
    ['event=*', 'event', 'invalid_argument'],
    ['resourceId=', 'resourceId', 'invalid_argument'],
    ['cursor=dlv_01j6z8k3s9f2v7c4x5b6n7m8q9', 'cursor', 'cursor_invalid'],
  ])('are not listed with %s', async (query, field, code) => {
    const response = await send('get', `/partner-api/events?${query}`).expect(400);
    expect(response.body).toMatchObject({ code, details: [{ path: field }] });
  });
});

describe('statistics', () => {
  const STATISTICS = '/partner-api/statistics';

  test('of the company contain each of its subscriptions, and nothing of another company [CONSOLE-5]', async () => {
    const theirs = await site.jobState.rows.subscription({ companyId: ids.roofs });
    const { webhookId } = await webhookWith(1);
    const response = await send('get', STATISTICS).expect(200);
    expect(companyStatistics.parse(response.body).webhooks).toMatchObject([{ webhookId }]);
    const own = await send('get', `${WEBHOOKS}/${webhookId}/statistics`).expect(200);
    expect(own.body).toMatchObject({ webhookId, totals: { attempts: 0, p50Ms: null } });
    const others = await site.signIn(PEOPLE.salesOwner);
    const seen = await site.request('get', STATISTICS, { cookie: others }).expect(200);
    expect(companyStatistics.parse(seen.body).webhooks).toMatchObject([{ webhookId: theirs }]);
  });

  test.each([
    ['an end that is not a date-time', 'to=2026-08-26', 'to'],
    ['more than 31 days', 'from=2026-07-01T00:00:00Z&to=2026-08-01T00:00:00.001Z', 'to'],
    ['a beginning in the future', 'from=9999-01-01T00:00:00Z', 'from'],
  ])('of %s are 400 and name the parameter', async (_name, query, field) => {
    for (const path of [`${WEBHOOKS}/${newId('whk')}/statistics`, STATISTICS]) {
      const response = await send('get', `${path}?${query}`).expect(400);
      expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    }
  });
});
