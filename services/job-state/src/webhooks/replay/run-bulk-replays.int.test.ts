import { describe, expect, test } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import { stepBulkReplay } from './run-bulk-replays.js';
import {
  begin,
  companyWithAll,
  deadLetters,
  eventsOf,
  later,
  queuedBy,
  runToEnd,
  step,
  stepOf,
} from '../testing/bulk-replay-fixture.js';
import { client, fixture, logger, logLines } from '../testing/delivery-fixture.js';
import type { Database } from '../../database/database.js';
import { beforeStatement } from '../../testing/before-statement.js';

describe('a bulk replay', () => {
  test('does not replay its own deliveries, however long its span is [REPLAY-3]', async () => {
    const side = await companyWithAll('delivered', 3);
    const begun = await begin(side, {
      selection: { states: ['delivered'] },
      perMinute: 60,
    });
    for (let steps = 0; steps < 10; steps += 1) {
      await stepOf(begun.replayId);
      const queued = await queuedBy(side.subscriptionId, begun.replayId);
      await fixture.finish('delivered', ...queued.map(({ id }) => id));
    }
    expect(await client.getBulkReplay(begun)).toMatchObject({
      state: 'done',
      queued: 3,
    });
  });

  test('queues at its rate [REPLAY-1]', async () => {
    const side = await companyWithAll('dead_lettered', 5);
    const begun = await begin(side, { perMinute: 120 });
    await stepOf(begun.replayId);
    expect((await client.getBulkReplay(begun)).queued).toBe(2);
    const [due] = await fixture.database.query<{ in_ms: number }>(
      `select (extract(epoch from next_run_at - created_at) * 1000)::integer as in_ms from bulk_replays where id = $1`,
      [begun.replayId],
    );
    expect(due?.in_ms).toBeGreaterThanOrEqual(1_000);
    expect(await runToEnd(begun)).toMatchObject({ queued: 5 });

    const slow = await begin(await companyWithAll('dead_lettered', 2), { perMinute: 1 });
    await stepOf(slow.replayId);
    expect((await client.getBulkReplay(slow)).queued).toBe(1);
    expect(await step()).toBe('idle');
    await client.cancelBulkReplay(slow);
  });

  test('queues no more while 100 of its deliveries wait for their first attempt, and finally each event once', async () => {
    const side = await companyWithAll('dead_lettered', 230);
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
    await fixture.set(
      'deliveries',
      attempted.id,
      `state = 'retry_scheduled', attempts = 1, next_attempt_at = now() + interval '1 hour'`,
    );
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
    const [retriedFirst, retriedSecond, inFlight, held, due, first, delivered] = side.deliveries.map(
      ({ id }) => id,
    );
    await fixture.finish('delivered', delivered ?? '');
    await fixture.database.query(
      `update deliveries set state = case when id = $2 then 'held' else 'retry_scheduled' end, attempts = 3,
         lease_id = case when id = $3 then 'lse_1' end,
         next_attempt_at = now() + case when id = $4 then interval '-1 minute' else interval '1 hour' end
       where subscription_id = $1 and id <> $5`,
      [side.subscriptionId, held, inFlight, due, first],
    );
    const selection = { ...deadLetters(), states: ['retry_scheduled' as const] };
    expect(await client.previewBulkReplay(side, { ...selection, perMinute: 60 })).toMatchObject({
      deliveries: 2,
      estimatedMinutes: 1,
    });

    const begun = await begin(side, { selection, perMinute: 60 });
    const waits = async (id = '') => Number((await fixture.delivery(id)).wait_ms) > 0;
    await stepOf(begun.replayId);
    expect([await waits(retriedFirst), await waits(retriedSecond)]).toEqual([false, true]);
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', total: 2, queued: 2 });
    expect([await waits(retriedSecond), await waits(inFlight), await waits(held)]).toEqual([
      false,
      true,
      true,
    ]);
    expect((await fixture.delivery(due ?? '')).wait_ms).toBeLessThanOrEqual(-60_000);
    expect(await fixture.delivery(retriedFirst ?? '')).toMatchObject({
      state: 'retry_scheduled',
      attempts: 3,
    });
    expect(await fixture.deliveriesOf(side.subscriptionId)).toHaveLength(7);
  });

  test('does not wait for a delivery whose result is being recorded [REPLAY-5]', async () => {
    const side = await fixture.companyWith(2);
    const [locked = '', other = ''] = side.deliveries.map(({ id }) => id);
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1, next_attempt_at = now() + interval '1 hour'
       where subscription_id = $1`,
      [side.subscriptionId],
    );
    const begun = await begin(side, { selection: { ...deadLetters(), states: ['retry_scheduled'] } });
    await fixture.database.transaction(async (tx) => {
      await tx.query('select from deliveries where id = $1 for update', [locked]);
      await stepOf(begun.replayId);
    });
    expect((await fixture.delivery(locked)).wait_ms).toBeGreaterThan(0);
    expect((await fixture.delivery(other)).wait_ms).toBeLessThanOrEqual(0);
  });

  test('queues nothing twice and skips nothing when many replicas step concurrently and some of them fail [REPLAY-1]', async () => {
    const side = await companyWithAll('dead_lettered', 12);
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
  test('waits while the subscription is paused and resumes afterwards [REPLAY-3]', async () => {
    const side = await companyWithAll('dead_lettered', 2);
    const begun = await begin(side, { perMinute: 60 });
    await stepOf(begun.replayId);
    await fixture.setState(side.subscriptionId, 'paused');
    await stepOf(begun.replayId);
    expect(await client.getBulkReplay(begun)).toMatchObject({
      state: 'running',
      queued: 1,
    });
    await fixture.setState(side.subscriptionId, 'active');
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', queued: 2 });
  });

  test('is cancelled if the subscription is deleted', async () => {
    const side = await companyWithAll('dead_lettered', 2);
    const begun = await begin(side);
    await fixture.set(
      'subscriptions',
      side.subscriptionId,
      `state = 'paused', paused_at = now(), deleted_at = now()`,
    );
    expect(await runToEnd(begun)).toMatchObject({ state: 'cancelled', queued: 0 });
  });

  test('retries a failed step later, without blocking other steps', async () => {
    const side = await companyWithAll('dead_lettered', 1);
    const failing = await begin(side);
    const other = await begin(await companyWithAll('dead_lettered', 1));
    const due = (replayId: string, seconds: number) =>
      fixture.database.query(
        'update bulk_replays set next_run_at = now() - make_interval(secs => $2) where id = $1',
        [replayId, seconds],
      );
    await fixture.database.query(
      `update bulk_replays set next_run_at = now() + interval '1 hour' where state = 'running'`,
    );
    await due(failing.replayId, 20);
    await due(other.replayId, 10);
    const database = beforeStatement(fixture.database, (text, values) => {
      if (text.includes('insert into deliveries') && values.includes(failing.replayId)) throw new Error('no');
    });
    const deps = { database, logger, clock: later };
    expect([await stepBulkReplay(deps), await stepBulkReplay(deps), await stepBulkReplay(deps)]).toEqual([
      'more',
      'more',
      'idle',
    ]);
    expect(await client.getBulkReplay(other)).toMatchObject({ queued: 1 });
    expect(logLines).toContainEqual([
      expect.objectContaining({ replayId: failing.replayId, companyId: side.companyId }),
      'bulk_replay.step_failed',
    ]);
    expect(await runToEnd(failing)).toMatchObject({ state: 'done', queued: 1 });
  });
});
