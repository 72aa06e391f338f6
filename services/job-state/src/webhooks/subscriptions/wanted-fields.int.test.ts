import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { readEventFeed } from '../events/event-feed.js';
import { previewEventReplay } from '../replay/replay-events.js';
import { eventsOf, HOUR_MS, queuedBy, runToEnd } from '../testing/bulk-replay-fixture.js';
import { client, fixture } from '../testing/delivery-fixture.js';
import { startBackfill } from './start-backfill.js';

const TIMES = { 'install.*': ['schedule.startsAt', 'schedule.endsAt'] };

/** A company with one subscription that names fields. */
async function companyWith(fields: Readonly<Record<string, readonly string[]>>) {
  const companyId = await fixture.company();
  const subscriptionId = await fixture.subscription({ companyId });
  await fixture.set('subscriptions', subscriptionId, `fields = '${JSON.stringify(fields)}'`);
  return { companyId, subscriptionId };
}

const changing = (companyId: string, ...changed: readonly string[]) =>
  fixture.event(companyId, newId('job'), changed);

async function verdictOf(companyId: string, eventId: string) {
  const { subscriptions } = await client.getEvent({ companyId, eventId });
  return subscriptions.map(({ verdict }) => verdict);
}

describe('a webhook that names fields', () => {
  test('gets an event only if one of them changed or nothing did, and the event says so [WEBHOOK-17]', async () => {
    const { companyId, subscriptionId } = await companyWith(TIMES);
    const other = await changing(companyId, 'status', 'readiness.ready');
    const unchanged = await changing(companyId);
    const wanted = await changing(companyId, 'status', 'schedule.endsAt');
    const queued = (await fixture.deliveriesOf(subscriptionId)).map(({ event_id }) => event_id);
    expect(queued).toEqual([unchanged, wanted]);
    for (const [eventId, verdict] of [
      [other, 'fields'],
      [unchanged, 'queued'],
      [wanted, 'queued'],
    ] as const)
      expect(await verdictOf(companyId, eventId)).toEqual([verdict]);
  });

  test('goes by the name of an event before its group, and sends whatever it names no fields for [WEBHOOK-17]', async () => {
    const { companyId, subscriptionId } = await companyWith({
      ...TIMES,
      'install.status_changed': ['status'],
    });
    const status = await changing(companyId, 'status');
    await changing(companyId, 'schedule.startsAt');
    expect((await fixture.deliveriesOf(subscriptionId)).map(({ event_id }) => event_id)).toEqual([status]);
    const elsewhere = await companyWith({ 'appointment.booked': ['startsAt'] });
    await changing(elsewhere.companyId, 'status');
    expect(await fixture.deliveriesOf(elsewhere.subscriptionId)).toHaveLength(1);
  });

  test('gets and counts no other events by a back-fill or a replay [REPLAY-7, WEBHOOK-17]', async () => {
    const { companyId, subscriptionId } = await companyWith(TIMES);
    const from = new Date();
    await fixture.setState(subscriptionId, 'paused');
    const other = await changing(companyId, 'status');
    const wanted = await changing(companyId, 'schedule.startsAt');
    const unchanged = await changing(companyId);
    expect(await verdictOf(companyId, other)).toEqual(['fields']);
    const to = new Date();
    await fixture.setState(subscriptionId, 'active');
    const { id: replayId } = await fixture.database.transaction((tx) =>
      startBackfill(tx, { companyId, subscriptionId, from, to, maxCounted: 1_000 }),
    );
    expect(await client.getBulkReplay({ companyId, replayId })).toMatchObject({ total: 2 });
    expect(await runToEnd({ companyId, replayId })).toMatchObject({ queued: 2 });
    expect(eventsOf(await queuedBy(subscriptionId, replayId))).toEqual([wanted, unchanged]);

    const unfiltered = await fixture.subscription({ companyId });
    const around = (ms: number) => new Date(Date.now() + ms).toISOString();
    const selection = { from: around(-HOUR_MS), to: around(HOUR_MS) };
    const { webhooks } = await previewEventReplay(
      fixture.database,
      { companyId, subscriptionId: undefined, selection },
      new Date(),
    );
    expect(new Map(webhooks.map((each) => [each.subscriptionId, each.events]))).toEqual(
      new Map([
        [subscriptionId, 2],
        [unfiltered, 3],
      ]),
    );
  });
});

test('a reader of events who names fields gets those of which one changed, or none did [EVENT-15]', async () => {
  const companyId = await fixture.company();
  await changing(companyId, 'status');
  const unchanged = await changing(companyId);
  const wanted = await changing(companyId, 'schedule.endsAt', 'readiness.ready');
  const query = { companyId, after: '0', limit: 100, event: undefined, resourceId: undefined };
  const read = async (...fields: readonly string[]) =>
    (await readEventFeed(fixture.database, { ...query, fields })).events.map(({ eventId }) => eventId);
  expect(await read('schedule.startsAt', 'schedule.endsAt')).toEqual([unchanged, wanted]);
  expect(await read('documents')).toEqual([unchanged]);
});
