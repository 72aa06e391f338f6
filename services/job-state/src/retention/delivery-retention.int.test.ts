import { describe, expect, test } from '@jest/globals';
import { makePartitionsAhead } from './run-retention.js';
import {
  at,
  database,
  idsIn,
  insertBulkReplay,
  insertEvent,
  insertFinished,
  insertSubscription,
  insertUnfinished,
  logged,
  overdue,
  metric,
  run,
  runLoop,
  START,
} from './testing/retention-fixture.js';
import { claimAll } from '../testing/claim-all.js';

describe('deliveries and their events', () => {
  test('are kept for 90 days from the end of their week, with their attempts, and events for 30 days more [DELIVERY-18]', async () => {
    await makePartitionsAhead(database, () => START);
    const eventId = await insertEvent(at(0));
    const old = await insertFinished(at(6.9), { eventId });
    const young = await insertFinished(at(7), { eventId });

    await run(at(7 + 90 - 0.1));
    expect(await idsIn('finished_deliveries')).toEqual([old, young]);
    await run(at(7 + 90));
    expect(await idsIn('finished_deliveries')).toEqual([young]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([young]);
    await run(at(14 + 90));
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([]);

    await run(at(7 + 120 - 0.1));
    expect(await idsIn('events')).toEqual([eventId]);
    await run(at(7 + 120));
    expect(await idsIn('events')).toEqual([]);
  });

  test('are sent with their body after a year of waiting, when everything that finished then is deleted [DELIVERY-18]', async () => {
    await makePartitionsAhead(database, () => START);
    const subscriptionId = await insertSubscription(null);
    const [eventId, finishedEventId] = [await insertEvent(at(1)), await insertEvent(at(8))];
    const deliveryId = await insertUnfinished(at(1), { eventId, state: 'held', subscriptionId });
    await insertFinished(at(8), { eventId: finishedEventId });
    const inDefault = await insertEvent(at(-400));
    await insertUnfinished(at(-400), { eventId: inDefault });

    await run(at(366));
    expect(await idsIn('events')).toEqual([inDefault, eventId]);
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(logged).toContainEqual(overdue('events'));
    await database.query(`update deliveries set state = 'pending' where id = $1`, [deliveryId]);
    const limits = { batchSize: 10, leaseSeconds: 30, inFlight: 10, subscriptionCap: 10 };
    expect(await claimAll(database, limits)).toMatchObject([{ id: deliveryId, body: Buffer.from('body') }]);

    await database.query('delete from deliveries');
    await run(at(366));
    expect(await idsIn('events')).toEqual([]);
  });

  test.each([
    ['when the partition of their week is dropped', 300, 0],
    ['when it is about to be dropped', 95, 1],
  ])('that finish late, %s, are kept for 90 days from then on [DELIVERY-18]', async (_when, day, events) => {
    await makePartitionsAhead(database, () => START);
    const eventId = await insertEvent(at(1));
    await run(at(day));
    expect(await idsIn('events')).toHaveLength(events);

    const late = await insertFinished(at(1), { eventId, finishedAt: at(day) });
    await run(at(day + 89));
    expect(await idsIn('finished_deliveries')).toEqual([late]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([late]);
    await run(at(day + 91));
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([]);
  });

  test('outlive their deleted subscription, and then it is deleted too', async () => {
    const eventId = await insertEvent(at(1));
    const [unfinished, finished] = [await insertSubscription(at(2)), await insertSubscription(at(2))];
    const [empty, present] = [await insertSubscription(at(2)), await insertSubscription(null)];
    await insertUnfinished(at(1), { eventId, subscriptionId: unfinished });
    await insertFinished(at(1), { eventId, subscriptionId: finished });
    await run(at(2.5));
    expect(await idsIn('subscriptions')).toEqual([unfinished, finished, empty, present].sort());
    await run(at(4));
    expect(await idsIn('subscriptions')).toEqual([unfinished, finished, present].sort());
    await run(at(100));
    expect(await idsIn('subscriptions')).toEqual([unfinished, present].sort());
  });
});

describe('bulk replays', () => {
  test('are kept as long as deliveries from their end on, and forever while they run [DELIVERY-18]', async () => {
    await insertBulkReplay(at(0), at(1), 'running');
    const running = await idsIn('bulk_replays');
    for (const state of ['done', 'cancelled']) await insertBulkReplay(at(0), at(1), state);
    await database.query(`update bulk_replays set finished_at = $1 where state <> 'running'`, [at(10)]);

    await run(at(100));
    expect(await idsIn('bulk_replays')).toHaveLength(3);
    await runLoop(at(100.1));
    expect(await idsIn('bulk_replays')).toEqual(running);
    expect(await idsIn('subscriptions')).toHaveLength(3);
    expect(await metric('partner_retention_purged_rows_total{table="bulk_replays"}')).toBe('2');
  });
});
