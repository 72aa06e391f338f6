import { describe, expect, test } from '@jest/globals';
import {
  bulkReplay,
  bulkReplayPage,
  bulkReplayPreview,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import {
  companyStatistics,
  webhookStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { eventPage, eventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { attempt } from '@partner/proto-contracts/resources/attempt/attempt';
import {
  DELIVERY_EXAMPLE,
  delivery,
  deliveryPage,
  deliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { newId } from '@partner/kernel/ids';
import { PEOPLE } from './testing/test-job-state.js';
import { createWebhook, expectStatus, ids, REPLAY, site, WEBHOOKS } from './testing/each-test-console.js';
import { cookie, send } from './testing/signed-in-console.js';

/** Returns a subscription with a test delivery. */
async function tested(session = cookie) {
  const webhookId = await createWebhook(session);
  const queued = await site.request('post', `${WEBHOOKS}/${webhookId}/test`, { cookie: session }).expect(202);
  return { webhookId, queued: delivery.parse(queued.body) };
}

describe('deliveries', () => {
  test('are listed newest first, in pages, and by state [WEBHOOK-10]', async () => {
    const id = await createWebhook(cookie);
    const queued: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const response = await send('post', `${WEBHOOKS}/${id}/test`).expect(202);
      queued.unshift(delivery.parse(response.body).id);
    }
    const list = async (query: string) => {
      const response = await send('get', `${WEBHOOKS}/${id}/deliveries?${query}`).expect(200);
      return deliveryPage.parse(response.body);
    };
    const first = await list('limit=2');
    expect(first.deliveries.map((each) => each.id)).toEqual(queued.slice(0, 2));
    const second = await list(`limit=2&cursor=${first.nextCursor ?? ''}`);
    expect(second.deliveries.map((each) => each.id)).toEqual(queued.slice(2));
    expect(second.nextCursor).toBeNull();
    expect((await list('status=pending')).deliveries).toHaveLength(3);
    expect((await list('status=dead_lettered')).deliveries).toHaveLength(0);
  });

  test('are listed by event, by resource, by number and by the time of creation [WEBHOOK-10, DELIVERY-27]', async () => {
    const id = await createWebhook(cookie);
    await expectStatus(202, send('post', `${WEBHOOKS}/${id}/test`));
    const count = async (query: string) => {
      const response = await send('get', `${WEBHOOKS}/${id}/deliveries?${query}`).expect(200);
      return deliveryPage.parse(response.body).deliveries.length;
    };
    expect(await count('event=install.test')).toBe(1);
    expect(await count('event=install.job_assigned')).toBe(0);
    expect(await count(`resourceId=${id}`)).toBe(1);
    expect(await count(`resourceId=${newId('job')}`)).toBe(0);
    const { number } = DELIVERY_EXAMPLE;
    expect(await count(`fromNumber=${number}&toNumber=${number}`)).toBe(1);
    expect(await count(`fromNumber=${number + 1}`)).toBe(0);
    expect(await count(`toNumber=${number - 1}`)).toBe(0);
    expect(await count('from=2026-08-26T14:03:00Z&to=2026-08-26T14:03:00.001Z')).toBe(1);
    expect(await count('from=2026-08-26T14:03:00.001Z')).toBe(0);
    expect(await count('to=2026-08-26T14:03:00Z')).toBe(0);
  });

  test('are listed for all webhooks of the company, and found by an id [DELIVERY-21]', async () => {
    const queued = [(await tested()).queued, (await tested()).queued];
    const others = await site.signIn(PEOPLE.salesOwner);
    await tested(others);
    const list = async (query: string, session = cookie) => {
      const response = await site
        .request('get', `/partner-api/deliveries?${query}`, { cookie: session })
        .expect(200);
      return deliveryPage.parse(response.body);
    };
    const first = await list('limit=1');
    expect(first.deliveries.map(({ id }) => id)).toEqual([queued[1]?.id]);
    const second = await list(`limit=1&cursor=${first.nextCursor ?? ''}`);
    expect(second.deliveries.map(({ id }) => id)).toEqual([queued[0]?.id]);
    expect(second.nextCursor).toBeNull();
    const search = `search=${queued[0]?.id ?? ''}`;
    expect((await list(search)).deliveries.map(({ id }) => id)).toEqual([queued[0]?.id]);
    expect((await list(search, others)).deliveries).toEqual([]);
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

  test('are read with their attempts and the text of their body [WEBHOOK-10]', async () => {
    const id = await createWebhook(cookie);
    const queued = await send('post', `${WEBHOOKS}/${id}/test`).expect(202);
    const read = await send('get', `/partner-api/deliveries/${delivery.parse(queued.body).id}`).expect(200);
    const view = deliveryWithAttempts.parse(read.body);
    expect(view.delivery).toEqual(queued.body);
    expect(view.body).toBe('{"event":"install.test"}');
    expect(view.attempts.map((each) => attempt.parse(each).outcome)).toEqual(['timed_out']);
  });
});

describe('a replay', () => {
  test('of a delivery is a new delivery, queued once [DELIVERY-3, REPLAY-1, WEBHOOK-10]', async () => {
    const { queued } = await tested();
    const path = `/partner-api/deliveries/${queued.id}/replay`;
    const replayed = await send('post', path).expect(202);
    const { id, eventId, replayOf, state } = delivery.parse(replayed.body);
    expect({ eventId, replayOf, state }).toEqual({
      eventId: queued.eventId,
      replayOf: queued.id,
      state: 'pending',
    });
    expect(id).not.toBe(queued.id);
    expect(site.jobState.asked).toContainEqual({
      method: 'replayDelivery',
      companyId: ids.sunny,
      actingMembershipId: ids.olive,
    });
    const again = await send('post', path).expect(409);
    expect(again.body).toMatchObject({ code: 'replay_in_progress' });
    expect(JSON.stringify(again.body)).toContain(id);
  });

  test('of a delivery that waits for a retry makes its next attempt due now [DELIVERY-20]', async () => {
    const { queued } = await tested();
    const retried = await send('post', `/partner-api/deliveries/${queued.id}/retry`).expect(202);
    expect(delivery.parse(retried.body).id).toBe(queued.id);
    expect(site.jobState.asked).toContainEqual({
      method: 'retryDelivery',
      companyId: ids.sunny,
      actingMembershipId: ids.olive,
    });
  });

  test('in bulk is previewed, started, monitored and cancelled [REPLAY-1, REPLAY-4, WEBHOOK-10]', async () => {
    const { webhookId, queued } = await tested();
    const path = `${WEBHOOKS}/${webhookId}/replay`;
    const previewed = await send('post', path, { ...REPLAY, preview: true }).expect(200);
    expect(bulkReplayPreview.parse(previewed.body)).toEqual({
      deliveries: 1,
      atLeast: true,
      oldest: '2026-08-26T14:03:00.000Z',
      newest: '2026-08-26T14:03:00.000Z',
      resourceCount: 1,
      resources: [{ ...queued.resource, deliveries: 1 }],
      estimatedMinutes: 1,
    });
    expect(site.jobState.asked.map(({ method }) => method)).not.toContain('createBulkReplay');

    const begun = await send('post', path, { ...REPLAY, event: 'install.*', perMinute: 30 }).expect(202);
    const replay = bulkReplay.parse(begun.body);
    expect(replay).toMatchObject({
      subscriptionId: webhookId,
      kind: 'replay',
      states: ['dead_lettered'],
      event: 'install.*',
      from: '2026-08-01T00:00:00.000Z',
      to: '2026-08-31T00:00:00.000Z',
      perMinute: 30,
      state: 'running',
      atLeast: true,
      finishedAt: null,
    });
    const second = await send('post', path, REPLAY).expect(202);
    expect(bulkReplay.parse(second.body)).toMatchObject({ perMinute: 600, event: null });

    const list = async (query: string) => {
      const response = await send('get', `${WEBHOOKS}/${webhookId}/replays?${query}`).expect(200);
      return bulkReplayPage.parse(response.body);
    };
    const newest = await list('limit=1');
    expect(newest.replays).toEqual([second.body]);
    const older = await list(`limit=1&cursor=${newest.nextCursor ?? ''}`);
    expect(older).toEqual({ replays: [replay], nextCursor: null });

    const one = `/partner-api/replays/${replay.id}`;
    expect((await send('get', one).expect(200)).body).toEqual(replay);
    const cancelled = await send('delete', one).expect(200);
    expect(bulkReplay.parse(cancelled.body)).toMatchObject({ id: replay.id, state: 'cancelled' });
    expect((await send('get', one).expect(200)).body).toEqual(cancelled.body);
    for (const method of ['createBulkReplay', 'cancelBulkReplay']) {
      expect(site.jobState.asked).toContainEqual({
        method,
        companyId: ids.sunny,
        actingMembershipId: ids.olive,
      });
    }
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
  ])('in bulk with %s is 400 and names the field [REPLAY-1]', async (_name, change, field) => {
    const { webhookId } = await tested();
    const body = { ...REPLAY, ...change };
    const response = await send('post', `${WEBHOOKS}/${webhookId}/replay`, body).expect(400);
    expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    expect(site.jobState.asked.map(({ method }) => method)).not.toContain('createBulkReplay');
  });
});

describe('events', () => {
  test('are listed newest first, in pages, by event and by resource', async () => {
    const { webhookId, queued } = await tested();
    const newer = await send('post', `${WEBHOOKS}/${webhookId}/test`).expect(202);
    const list = async (query: string) => {
      const response = await send('get', `/partner-api/events?${query}`).expect(200);
      return eventPage.parse(response.body);
    };
    const first = await list('limit=1');
    expect(first.events.map(({ id }) => id)).toEqual([delivery.parse(newer.body).eventId]);
    const second = await list(`limit=1&cursor=${first.nextCursor ?? ''}`);
    expect(second.events.map(({ id }) => id)).toEqual([queued.eventId]);
    expect(second.nextCursor).toBeNull();
    expect(second.events).toMatchObject([{ summary: null, deliveryStates: [queued.state] }]);
    const found = await list(`event=install.test&resourceId=${webhookId}`);
    expect(found.events).toHaveLength(2);
    expect(found.explanation).toBeNull();
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

  test('are traced to each subscription [EVENT-6]', async () => {
    const { webhookId, queued } = await tested();
    const response = await send('get', `/partner-api/events/${queued.eventId}`).expect(200);
    const view = eventWithTrail.parse(response.body);
    expect(view.event).toMatchObject({ id: queued.eventId, event: 'install.test', requestId: null });
    expect(view.body).toBe('{"event":"install.test"}');
    expect(view.subscriptions).toMatchObject([
      { subscriptionId: webhookId, verdict: 'queued', deliveries: [{ delivery: queued, attempts: [] }] },
      { verdict: 'not_subscribed', deliveries: [] },
    ]);
  });
});

describe('statistics', () => {
  const SPAN = 'from=2026-08-26T14:00:00Z&to=2026-08-26T15:00:00Z';
  const COUNTS = { attempts: 1, delivered: 1, failed: 0, deadLettered: 0, p50Ms: 84, p95Ms: 231 };
  const NOTHING = { attempts: 0, delivered: 0, failed: 0, deadLettered: 0, p50Ms: null, p95Ms: null };
  const STATISTICS = '/partner-api/statistics';

  test('of a subscription are counted over the requested span [CONSOLE-5]', async () => {
    const { webhookId } = await tested();
    const response = await send('get', `${WEBHOOKS}/${webhookId}/statistics?${SPAN}`).expect(200);
    expect(webhookStatistics.parse(response.body)).toEqual({
      webhookId,
      bucketMinutes: 5,
      buckets: [{ startsAt: '2026-08-26T14:00:00.000Z', ...COUNTS }],
      totals: COUNTS,
    });
    expect(site.jobState.asked.at(-1)).toEqual({
      method: 'getSubscriptionStatistics',
      companyId: ids.sunny,
    });
  });

  test('of the company contain each of its subscriptions, and nothing of another company', async () => {
    const theirs = await tested(await site.signIn(PEOPLE.salesOwner));
    const { webhookId } = await tested();
    const response = await send('get', `${STATISTICS}?${SPAN}`).expect(200);
    expect(companyStatistics.parse(response.body)).toEqual({
      webhooks: [{ webhookId, totals: COUNTS, trend: [], retrying: 0, held: 0 }],
      trendMinutes: 30,
      bucketMinutes: 5,
      buckets: [{ startsAt: '2026-08-26T14:00:00.000Z', ...COUNTS }],
      totals: COUNTS,
    });
    expect(response.text).not.toContain(theirs.webhookId);
  });

  test('are of the last 24 hours by default, and have no percentiles without attempts [CONSOLE-5]', async () => {
    const { webhookId } = await tested();
    for (const path of [`${WEBHOOKS}/${webhookId}/statistics`, STATISTICS]) {
      const response = await send('get', path).expect(200);
      const [{ startsAt } = { startsAt: '' }] = webhookStatistics
        .pick({ buckets: true })
        .parse(response.body).buckets;
      expect(Date.parse(startsAt)).toBe(site.now().getTime() - 24 * 3_600_000);
    }
    const empty = await site.signIn(PEOPLE.salesOwner);
    const response = await site.request('get', STATISTICS, { cookie: empty }).expect(200);
    expect(companyStatistics.parse(response.body)).toEqual({
      webhooks: [],
      trendMinutes: 30,
      bucketMinutes: 5,
      buckets: [],
      totals: NOTHING,
    });
  });

  test.each([
    ['an end that is not a date-time', 'to=2026-08-26', 'to'],
    ['a beginning that is not a date-time', 'from=now', 'from'],
    ['an end that is not after the beginning', 'from=2026-08-26T14:00:00Z&to=2026-08-26T14:00:00Z', 'to'],
    ['more than 31 days', 'from=2026-07-01T00:00:00Z&to=2026-08-01T00:00:00.001Z', 'to'],
    ['a beginning in the future', 'from=9999-01-01T00:00:00Z', 'from'],
    ['a beginning that is too long ago', 'from=2020-01-01T00:00:00Z', 'from'],
  ])('of %s are 400 and name the parameter', async (_name, query, field) => {
    const { webhookId } = await tested();
    for (const path of [`${WEBHOOKS}/${webhookId}/statistics`, STATISTICS]) {
      const response = await send('get', `${path}?${query}`).expect(400);
      expect(response.body).toMatchObject({ code: 'invalid_argument', details: [{ path: field }] });
    }
    const asked = site.jobState.asked.map(({ method }) => method);
    expect(asked.filter((method) => method.endsWith('Statistics'))).toEqual([]);
  });
});
