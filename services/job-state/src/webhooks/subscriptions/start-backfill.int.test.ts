import { describe, expect, test } from '@jest/globals';
import { sendTestDelivery } from './send-test-delivery.js';
import { startBackfill } from './start-backfill.js';
import { withdrawEvents } from '../events/withdraw-events.js';
import { eventsOf, HOUR_MS, queuedBy, runToEnd, step } from '../testing/bulk-replay-fixture.js';
import { client, fixture } from '../testing/delivery-fixture.js';
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
    await fixture.event(companyId);
    // By the clock, too: an event can be committed in the millisecond in which it was made.
    await fixture.database.query(
      `update events set created_at = created_at - interval '1 second' where company_id = $1`,
      [companyId],
    );
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
    expect(await client.getBulkReplay(begun)).toMatchObject({
      subscriptionId,
      kind: 'backfill',
      states: null,
      total: 3,
    });
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', queued: 3 });
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual([...missed].sort());
    expect(await fixture.deliveriesOf(subscriptionId)).toHaveLength(5);

    const { subscriptions } = await client.getEvent({ companyId, eventId: missed[0] ?? '' });
    expect(subscriptions[0]?.deliveries).toMatchObject([{ delivery: { bulkReplayId: begun.replayId } }]);
  });

  test('does not queue the example that another subscription was tested with [WEBHOOK-12]', async () => {
    const { companyId, subscriptionId, missed, activate } = await pausedWith(1);
    const tested = await fixture.subscription({ companyId });
    const { eventId } = await sendTestDelivery(
      {
        database: fixture.database,
        endpoints: { check: () => Promise.reject(new Error('no URL was given')) },
        sealingKeys: { currentKeyId: 'k1', keys: new Map() },
        logger: { info: () => undefined },
        clock: () => new Date(),
      },
      {
        companyId,
        subscriptionId: tested,
        event: 'install.status_changed',
        actor: installerOwner(companyId),
        timeoutMs: () => undefined,
      },
    );
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
    const [withdrawn] = await database.query<{ resourceId: string }>(
      'select resource_id as "resourceId" from events where id = $1',
      [missed[0]],
    );
    const backfill = await database.transaction(async (tx) => {
      await withdrawEvents(tx, [{ companyId, resourceId: withdrawn?.resourceId ?? '' }]);
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
    expect(await client.getBulkReplay(begun)).toMatchObject({
      state: 'running',
      queued: 0,
    });
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
