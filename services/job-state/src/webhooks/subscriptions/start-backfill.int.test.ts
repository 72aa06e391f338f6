import { describe, expect, test } from '@jest/globals';
import { sendTestDelivery } from './send-test-delivery.js';
import { startBackfill } from './start-backfill.js';
import { withdrawEvents } from '../events/withdraw-events.js';
import { eventsOf, HOUR_MS, queuedBy, runToEnd, step } from '../testing/bulk-replay-fixture.js';
import { client, fixture, logger } from '../testing/delivery-fixture.js';
import { newId } from '@partner/kernel/process/ids';
import { readEventFeed } from '../events/event-feed.js';
import { previewEventReplay } from '../replay/replay-events.js';
import { installerOwner } from '../../testing/callers.js';
import { holdTransaction } from '../../testing/hold-transaction.js';
import { untilLockWaits } from '../../testing/lock-waits.js';

/** Any lock that two transactions of this file take. */
const LOCK = 'select pg_advisory_xact_lock(20010101)';

describe('a back-fill', () => {
  /** A company whose subscription missed this many events while it was paused, and is active again. */
  async function pausedWith(events: number) {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId, events: ['install.status_changed'] });
    const before = await fixture.event(companyId);
    // By the clock, too: an event can be committed in the millisecond in which it was made.
    await fixture.set('events', before, `created_at = created_at - interval '1 second'`);
    const from = new Date();
    await fixture.setState(subscriptionId, 'paused');
    const missed: string[] = [];
    for (let made = 0; made < events; made += 1) missed.push(await fixture.event(companyId));
    const activate = async () => {
      const to = new Date();
      await fixture.setState(subscriptionId, 'active');
      const { id } = await fixture.database.transaction((tx) =>
        startBackfill(tx, { companyId, subscriptionId, from, to, maxCounted: 1_000 }),
      );
      return { companyId, replayId: id };
    };
    return { companyId, subscriptionId, missed, activate };
  }

  test('queues the events missed during the pause once, and none from before or after [WEBHOOK-5]', async () => {
    const { companyId, subscriptionId, missed, activate } = await pausedWith(3);
    const begun = await activate();
    await fixture.event(companyId);
    const shown = { subscriptionId, kind: 'backfill', states: null, total: 3 };
    expect(await client.getBulkReplay(begun)).toMatchObject(shown);
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', queued: 3 });
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual([...missed].sort());
    expect(await fixture.deliveriesOf(subscriptionId)).toHaveLength(5);

    const { subscriptions } = await client.getEvent({ companyId, eventId: missed[0] ?? '' });
    expect(subscriptions[0]?.deliveries).toMatchObject([{ delivery: { bulkReplayId: begun.replayId } }]);
  });

  test('does not queue the example that another subscription was tested with [WEBHOOK-12]', async () => {
    const { companyId, subscriptionId, missed, activate } = await pausedWith(1);
    const tested = await fixture.subscription({ companyId });
    const sealingKeys = { currentKeyId: 'k1', keys: new Map() };
    const endpoints = { check: () => Promise.reject(new Error('no URL was given')) };
    const deps = { database: fixture.database, endpoints, sealingKeys, logger, clock: () => new Date() };
    const caller = { actor: installerOwner(companyId), timeoutMs: () => undefined };
    const sent = { companyId, subscriptionId: tested, event: 'install.status_changed' } as const;
    const { eventId } = await sendTestDelivery(deps, { ...sent, ...caller });
    const begun = await activate();
    expect(await client.getBulkReplay(begun)).toMatchObject({ total: 1 });
    await runToEnd(begun);
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual(missed);

    const trail = await client.getEvent({ companyId, eventId });
    expect(trail).toMatchObject({ event: { isTest: true }, subscriptions: [{ subscriptionId: tested }] });
  });

  test('does not queue an event that is withdrawn concurrently [PLATFORM-21]', async () => {
    const { database } = fixture;
    const { companyId, subscriptionId, missed, activate } = await pausedWith(2);
    const begun = await activate();
    const { resource_id: resourceId } = await fixture.row('events', missed[0] ?? '');
    const backfill = await database.transaction(async (tx) => {
      await withdrawEvents(tx, [{ companyId, resourceId: String(resourceId) }]);
      const running = runToEnd(begun);
      await untilLockWaits(database);
      return { running };
    });
    expect(await backfill.running).toMatchObject({ state: 'done' });
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual(missed.slice(1));
  });

  test('skips events that the subscription does not name, another schema version, a disallowed class, tests, and events about itself [WEBHOOK-5, NOTIFY-2]', async () => {
    const { subscriptionId, missed, activate } = await pausedWith(4);
    const [first, second, third, fourth] = missed;
    const change = (set: string, id: string | undefined) => fixture.set('events', id, set);
    await change(`name = 'install.job_assigned'`, first);
    await change('schema_version = 2', second);
    await change(`name = 'install.test'`, third);
    await change(`resource_id = '${subscriptionId}'`, fourth);
    await fixture.set('subscriptions', subscriptionId, `events = '{install.status_changed,install.test}'`);
    expect(await runToEnd(await activate())).toMatchObject({ total: 0, queued: 0 });

    const other = await pausedWith(1);
    await fixture.set('companies', other.companyId, `class = 'SALES'`);
    expect(await runToEnd(await other.activate())).toMatchObject({ total: 0, queued: 0 });
  });

  test('passes events only once they have settled, and finds one that was committed after the activation [WEBHOOK-5]', async () => {
    const { companyId, subscriptionId, missed, activate } = await pausedWith(1);
    const holder = await holdTransaction(fixture.database, (tx) => tx.query(LOCK));
    const late = fixture.database.transaction((tx) => {
      const { eventId } = fixture.record(tx, companyId);
      // Runs after the event is recorded, and holds the commit back.
      void tx.query({ name: 'wait-for-holder', shared: 'last', text: LOCK }, []);
      return eventId;
    });
    await untilLockWaits(fixture.database);
    const begun = await activate();

    await fixture.database.query(
      `update bulk_replays set next_run_at = now() + interval '1 hour' where state = 'running' and id <> $1`,
      [begun.replayId],
    );
    expect(await step(() => new Date())).toBe('more');
    expect(await client.getBulkReplay(begun)).toMatchObject({ state: 'running', queued: 0 });
    await holder.release();
    const lateId = await late;
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', queued: 2 });
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual([...missed, lateId].sort());
  });

  test('finds events in flight at the pause or the activation by the reason why they were not queued [WEBHOOK-5]', async () => {
    const { subscriptionId, missed, activate } = await pausedWith(2);
    const [before, after] = missed;
    const begun = await activate();
    await fixture.set('events', before, `created_at = created_at - interval '30 s'`);
    await fixture.set('events', after, `created_at = created_at + interval '30 s'`);
    expect(await runToEnd(begun)).toMatchObject({ queued: 2 });
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual([...missed].sort());
  });

  test('counts some of the events of a long pause, and says that there are more', async () => {
    const { companyId, subscriptionId, activate } = await pausedWith(3);
    const from = new Date(Date.now() - HOUR_MS);
    const { id } = await fixture.database.transaction((tx) =>
      startBackfill(tx, { companyId, subscriptionId, from, to: new Date(), maxCounted: 2 }),
    );
    const replay = await client.getBulkReplay({ companyId, replayId: id });
    expect(replay).toMatchObject({ total: 2, atLeast: true });
    await client.cancelBulkReplay({ companyId, replayId: id });
    expect(await client.getBulkReplay(await activate())).toMatchObject({ total: 3, atLeast: false });
  });

  test('is extended by the next activation with a back-fill while it runs [REPLAY-3]', async () => {
    const { companyId, subscriptionId, missed, activate } = await pausedWith(1);
    const first = await activate();
    await fixture.setState(subscriptionId, 'paused');
    missed.push(await fixture.event(companyId));
    const second = await activate();
    expect(second).toEqual(first);
    expect(await runToEnd(first)).toMatchObject({ queued: 2 });
    expect(eventsOf(await queuedBy(subscriptionId, first.replayId))).toEqual([...missed].sort());
  });
});

const TIMES = { 'install.*': ['schedule.startsAt', 'schedule.endsAt'] };

async function companyWith(fields: Readonly<Record<string, readonly string[]>>) {
  const companyId = await fixture.company();
  const subscriptionId = await fixture.subscription({ companyId });
  await fixture.set('subscriptions', subscriptionId, `fields = '${JSON.stringify(fields)}'`);
  return { companyId, subscriptionId };
}

const changing = (companyId: string, ...changed: readonly string[]) =>
  fixture.event(companyId, newId('job'), changed);

const queuedTo = async (subscriptionId: string) =>
  (await fixture.deliveriesOf(subscriptionId)).map(({ event_id }) => event_id);

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
    expect(await queuedTo(subscriptionId)).toEqual([unchanged, wanted]);
    for (const [eventId, verdict] of [
      [other, 'fields'],
      [unchanged, 'queued'],
      [wanted, 'queued'],
    ] as const)
      expect(await verdictOf(companyId, eventId)).toEqual([verdict]);
  });

  test('goes by the name of an event before its group, and sends whatever it names no fields for [WEBHOOK-17]', async () => {
    const named = { ...TIMES, 'install.status_changed': ['status'] };
    const { companyId, subscriptionId } = await companyWith(named);
    const status = await changing(companyId, 'status');
    await changing(companyId, 'schedule.startsAt');
    expect(await queuedTo(subscriptionId)).toEqual([status]);
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
    const request = { companyId, subscriptionId: undefined, selection };
    const { webhooks } = await previewEventReplay(fixture.database, request, new Date());
    expect(webhooks).toEqual([
      { subscriptionId, events: 2 },
      { subscriptionId: unfiltered, events: 3 },
    ]);
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
