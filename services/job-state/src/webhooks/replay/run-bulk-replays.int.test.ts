import { describe, expect, test } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import { stepBulkReplay } from './run-bulk-replays.js';
import {
  begin,
  deadLetters,
  eventsOf,
  later,
  queuedBy,
  runToEnd,
  stepOf,
} from '../testing/bulk-replay-fixture.js';
import { client, fixture, logger, logLines } from '../testing/delivery-fixture.js';
import type { Database } from '../../database/database.js';
import { beforeStatement } from '../../testing/before-statement.js';

describe('a bulk replay', () => {
  test('does not replay its own deliveries, however long its span is [REPLAY-3]', async () => {
    const side = await fixture.companyWithFinished('delivered', 3);
    const begun = await begin(side, { selection: { states: ['delivered'] }, perMinute: 60 });
    for (let steps = 0; steps < 5; steps += 1) {
      await stepOf(begun.replayId);
      const queued = await queuedBy(side.subscriptionId, begun.replayId);
      await fixture.finish('delivered', ...queued.map(({ id }) => id));
    }
    expect(await client.getBulkReplay(begun)).toMatchObject({ state: 'done', queued: 3 });
  });

  test('queues at its rate [REPLAY-1]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 5);
    const begun = await begin(side, { perMinute: 120 });
    await stepOf(begun.replayId);
    expect((await client.getBulkReplay(begun)).queued).toBe(2);
    const [due] = await fixture.database.query<{ in_ms: number }>(
      `select (extract(epoch from next_run_at - created_at) * 1000)::integer as in_ms from bulk_replays where id = $1`,
      [begun.replayId],
    );
    expect(due?.in_ms).toBeGreaterThanOrEqual(1_000);
    expect(await runToEnd(begun)).toMatchObject({ queued: 5 });
  });

  test('queues no more while 100 of its deliveries wait for their first attempt, and finally each event once', async () => {
    const { companyId, subscriptionId } = await fixture.companyWith(0);
    await fixture.database.transaction(async (tx) => {
      for (let event = 0; event < 230; event += 1) fixture.record(tx, companyId);
    });
    const deliveries = await fixture.deliveriesOf(subscriptionId);
    await fixture.finish('dead_lettered', ...deliveries.map(({ id }) => id));
    const side = { companyId, subscriptionId, deliveries };
    const begun = await begin(side, { perMinute: 6_000 });
    const queued = () => queuedBy(side.subscriptionId, begun.replayId);
    for (let steps = 0; steps < 3; steps += 1) {
      await stepOf(begun.replayId);
      expect(await queued()).toHaveLength(100);
    }
    expect((await client.getBulkReplay(begun)).state).toBe('running');
    const [due] = await fixture.database.query<{ is_due: boolean }>(
      'select next_run_at <= now() as is_due from bulk_replays where id = $1',
      [begun.replayId],
    );
    expect(due?.is_due).toBe(false);

    const [attempted, ...waiting] = await queued();
    invariant(attempted, 'a hundred are queued');
    await fixture.setRetrying([attempted.id], 3_600);
    await stepOf(begun.replayId);
    expect(await queued()).toHaveLength(200);
    await stepOf(begun.replayId);
    expect(await queued()).toHaveLength(200);

    await fixture.finish('delivered', ...waiting.map(({ id }) => id));
    await stepOf(begun.replayId);
    expect(await queued()).toHaveLength(200);
    await fixture.finish('dead_lettered', ...(await queued()).slice(150).map(({ id }) => id));
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', queued: 230 });
    expect(eventsOf(await queued())).toEqual(eventsOf(side.deliveries));
  });

  test('makes deliveries that wait for a retry due at its rate, within its selection, and queues no others [REPLAY-5]', async () => {
    const side = await fixture.companyWith(7);
    const [retriedFirst, retriedSecond, inFlight, held, due, , delivered] = side.ids;
    await fixture.finish('delivered', delivered);
    await fixture.setRetrying([retriedFirst, retriedSecond, inFlight, held], 3_600, 3);
    await fixture.setRetrying([due], -60, 3);
    await fixture.set('deliveries', held, `state = 'held'`);
    await fixture.set('deliveries', inFlight, `lease_id = 'lse_1'`);
    const selection = { ...deadLetters(), states: ['retry_scheduled' as const] };
    const preview = await client.previewBulkReplay(side, { ...selection, perMinute: 60 });
    expect(preview).toMatchObject({ deliveries: 2, estimatedMinutes: 1 });
    const begun = await begin(side, { selection, perMinute: 60 });
    const waits = async (id: string) => Number((await fixture.delivery(id)).wait_ms) > 0;
    await stepOf(begun.replayId);
    expect([await waits(retriedFirst), await waits(retriedSecond)]).toEqual([false, true]);
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', total: 2, queued: 2 });
    const later = [await waits(retriedSecond), await waits(inFlight), await waits(held)];
    expect(later).toEqual([false, true, true]);
    expect((await fixture.delivery(due)).wait_ms).toBeLessThanOrEqual(-60_000);
    const unchanged = { state: 'retry_scheduled', attempts: 3 };
    expect(await fixture.delivery(retriedFirst)).toMatchObject(unchanged);
    expect(await fixture.deliveriesOf(side.subscriptionId)).toHaveLength(7);
  });

  test('does not wait for a delivery whose result is being recorded [REPLAY-5]', async () => {
    const side = await fixture.companyWith(2);
    const [locked, other] = side.ids;
    await fixture.setRetrying(side.ids, 3_600);
    const begun = await begin(side, { selection: { ...deadLetters(), states: ['retry_scheduled'] } });
    await fixture.database.transaction(async (tx) => {
      await tx.query('select from deliveries where id = $1 for update', [locked]);
      await stepOf(begun.replayId);
    });
    expect((await fixture.delivery(locked)).wait_ms).toBeGreaterThan(0);
    expect((await fixture.delivery(other)).wait_ms).toBeLessThanOrEqual(0);
  });

  test('queues nothing twice and skips nothing when many replicas step concurrently and some of them fail [REPLAY-1]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 12);
    const begun = await begin(side, { perMinute: 120 });
    let steps = 0;
    const flaky: Pick<Database, 'transaction'> = {
      transaction: (work) =>
        fixture.database.transaction(async (tx) => {
          const result = await work(tx);
          steps += 1;
          if (steps % 3 === 0) throw new Error('the process ends before its commit');
          return result;
        }),
    };
    for (;;) {
      const replay = await client.getBulkReplay(begun);
      if (replay.state !== 'running') break;
      await fixture.set('bulk_replays', begun.replayId, 'next_run_at = now()');
      await Promise.allSettled(
        Array.from({ length: 3 }, () => stepBulkReplay({ database: flaky, logger, clock: later })),
      );
    }
    const queued = await queuedBy(side.subscriptionId, begun.replayId);
    expect(eventsOf(queued)).toEqual(eventsOf(side.deliveries));
    expect((await client.getBulkReplay(begun)).queued).toBe(12);
  });
});

describe('a bulk replay that is interrupted', () => {
  test('is cancelled if the subscription is deleted', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 2);
    const begun = await begin(side);
    await fixture.setDeleted(side.subscriptionId);
    expect(await runToEnd(begun)).toMatchObject({ state: 'cancelled', queued: 0 });
  });

  test('retries a failed step later, without blocking other steps', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 1);
    const failing = await begin(side);
    const other = await begin(await fixture.companyWithFinished('dead_lettered', 1));
    await fixture.database.query(`update bulk_replays set next_run_at = 'infinity' where state = 'running'`);
    for (const [{ replayId }, seconds] of [
      [failing, 20],
      [other, 10],
    ] as const)
      await fixture.set('bulk_replays', replayId, `next_run_at = now() - interval '${seconds} s'`);
    const database = beforeStatement(fixture.database, (text, values) => {
      if (text.includes('insert into deliveries') && values.includes(failing.replayId)) throw new Error('no');
    });
    const deps = { database, logger, clock: later };
    const outcomes = [await stepBulkReplay(deps), await stepBulkReplay(deps), await stepBulkReplay(deps)];
    expect(outcomes).toEqual(['more', 'more', 'idle']);
    expect(await client.getBulkReplay(other)).toMatchObject({ queued: 1 });
    expect(logLines).toContainEqual([
      expect.objectContaining({ replayId: failing.replayId, companyId: side.companyId }),
      'bulk_replay.step_failed',
    ]);
    expect(await runToEnd(failing)).toMatchObject({ state: 'done', queued: 1 });
  });
});
