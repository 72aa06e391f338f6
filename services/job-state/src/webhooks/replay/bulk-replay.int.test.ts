import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '@partner/kernel/process/service-error';
import { idFloor } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { createBulkReplay, previewBulkReplay } from './replay-deliveries.js';
import {
  begin,
  DAY_MS,
  deadLetters,
  eventsOf,
  HOUR_MS,
  neverDue,
  queuedBy,
  runToEnd,
  stepOf,
} from '../testing/bulk-replay-fixture.js';
import { attemptOf, client, fixture, logger, logLines } from '../testing/delivery-fixture.js';
import { beforeStatement } from '../../testing/before-statement.js';
import { failureOf } from '../../testing/subscription-fixture.js';

const caller = { actor: { membershipId: 'mem_1' }, timeoutMs: () => undefined };

describe('a bulk replay', () => {
  test('queues each delivery of its states and span once, but neither tests nor events past their retention [REPLAY-1, REPLAY-3]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 7);
    const [outside, delivered, tested, dropped, ...meant] = side.deliveries;
    await fixture.set('finished_deliveries', tested.id, 'is_test = true');
    await fixture.database.query('delete from events where id = $1', [dropped.event_id]);
    await fixture.set('finished_deliveries', outside.id, `created_at = now() - interval '2 hours'`);
    await fixture.set('finished_deliveries', delivered.id, `state = 'delivered'`);
    const begun = await begin(side);
    const started = { kind: 'replay', state: 'running', total: 3, queued: 0 };
    expect(begun.replay).toMatchObject({ subscriptionId: side.subscriptionId, ...started });
    expect(await queuedBy(side.subscriptionId, begun.replayId)).toEqual([]);

    expect(await runToEnd(begun)).toMatchObject({ state: 'done', total: 3, queued: 3 });
    const queued = await queuedBy(side.subscriptionId, begun.replayId);
    expect(eventsOf(queued)).toEqual(eventsOf(meant));
    for (const delivery of queued) expect(delivery).toMatchObject({ state: 'pending', attempts: 0 });
    expect((await client.getBulkReplay(begun)).finishedAt).not.toBeNull();
    expect(logLines).toContainEqual([
      expect.objectContaining({ replayId: begun.replayId, companyId: side.companyId, queued: 3 }),
      'bulk_replay.done',
    ]);
  });

  test('is limited to deliveries whose last attempt failed like its cause, and is not due to versions that lack causes', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 3);
    const [meant, changed] = side.deliveries;
    await attemptOf(meant.id);
    await attemptOf(changed.id, null, new Date(Date.now() - HOUR_MS));
    const last = await attemptOf(changed.id);
    await fixture.set('delivery_attempts', last, 'response_status = 503');
    const cause = { outcome: 'rejected', responseStatus: 500 };

    const begun = await begin(side, { selection: { cause } });
    expect(begun.replay).toMatchObject({ cause, total: 1 });
    expect(await neverDue(begun.replayId)).toBe(true);
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', queued: 1 });
    expect(eventsOf(await queuedBy(side.subscriptionId, begun.replayId))).toEqual(eventsOf([meant]));
  });

  test('queues an event with two dead letters once, and none that is in flight or was delivered since [REPLAY-3]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 4);
    const [twice, underWay, recovered, once] = side.deliveries;
    const replayOf = async ({ id: deliveryId }: { readonly id: string }) =>
      (await client.replayDelivery({ companyId: side.companyId, deliveryId })).id;
    await fixture.finish('dead_lettered', await replayOf(twice));
    await replayOf(underWay);
    await fixture.finish('delivered', await replayOf(recovered));
    const preview = await client.previewBulkReplay(side, { ...deadLetters(), perMinute: 2 });
    expect(preview.deliveries).toBe(2);
    const begun = await begin(side);
    expect(begun.replay.total).toBe(2);
    expect(await runToEnd(begun)).toMatchObject({ queued: 2 });
    expect(eventsOf(await queuedBy(side.subscriptionId, begun.replayId))).toEqual(eventsOf([twice, once]));
  });

  test('is limited to an event or a group [REPLAY-1]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 2);
    const [first] = side.deliveries;
    await fixture.set('finished_deliveries', first.id, `event = 'install.job_assigned'`);
    const begun = await begin(side, { selection: { event: 'install.job_assigned' } });
    const ended = { total: 1, queued: 1, event: 'install.job_assigned' };
    expect(await runToEnd(begun)).toMatchObject(ended);
    for (const [event, deliveries] of [
      ['install.*', 1],
      ['quote.*', 0],
    ] as const) {
      const selection = { ...deadLetters(), event, perMinute: 60 };
      expect(await client.previewBulkReplay(side, selection)).toMatchObject({ deliveries });
    }
  });

  test('is cancelled by its owner: queued deliveries continue, no more are queued, and a repeat is harmless [REPLAY-4]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 3);
    const begun = await begin(side, { perMinute: 60 });
    await stepOf(begun.replayId);
    const cancelled = await client.cancelBulkReplay({ ...begun, membershipId: 'mem_1' });
    expect(cancelled).toMatchObject({ state: 'cancelled', queued: 1 });
    await stepOf(begun.replayId);
    expect(await queuedBy(side.subscriptionId, begun.replayId)).toMatchObject([{ state: 'pending' }]);
    expect(await client.cancelBulkReplay(begun)).toEqual(cancelled);
    const lines = logLines.filter(([fields]) =>
      expect.objectContaining({ replayId: begun.replayId }).asymmetricMatch(fields),
    );
    expect(lines.map(([, text]) => text)).toEqual(['bulk_replay.created', 'bulk_replay.cancelled']);
  });

  test('is the only one of its subscription, also for concurrent requests [REPLAY-3]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 1);
    const results = await Promise.allSettled([begin(side), begin(side), begin(side)]);
    const begun = results.find((result) => result.status === 'fulfilled');
    invariant(begun?.status === 'fulfilled', 'one was begun');
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const failure = ServiceError.from(result.reason);
      expect(failure.reason).toBe('replay_in_progress');
      expect(failure.message).toContain(begun.value.replayId);
    }
    await runToEnd(begun.value);
    const second = await begin(side);
    const { replays, nextCursor } = await client.listBulkReplays(side, { limit: 1 });
    expect(replays.map(({ id }) => id)).toEqual([second.replayId]);
    expect(nextCursor).toBe(second.replayId);
    const older = await client.listBulkReplays({ ...side, after: second.replayId });
    expect(older.replays.map(({ id }) => id)).toEqual([begun.value.replayId]);
    expect(older.nextCursor).toBeNull();
  });
});

describe('a request for a bulk replay', () => {
  test('has a preview with its count, time span and resources [REPLAY-1]', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 3);
    const [first, second, third] = side.deliveries;
    await fixture.set('finished_deliveries', third.id, `resource_id = '${first.resource_id}'`);
    const preview = await client.previewBulkReplay(side, { ...deadLetters(), perMinute: 2 });
    expect(preview).toMatchObject({
      deliveries: 3,
      resourceCount: 2,
      resources: [
        { type: 'install_job', id: first.resource_id, workOrderNo: null, deliveries: 2 },
        { type: 'install_job', id: second.resource_id, deliveries: 1 },
      ],
      // Of 3 deliveries at 2 per minute.
      estimatedMinutes: 2,
    });
    invariant(preview.oldest && preview.newest, 'there are deliveries');
    expect(preview.oldest < preview.newest).toBe(true);
    expect(await fixture.deliveriesOf(side.subscriptionId)).toHaveLength(3);

    const other = { ...deadLetters(), states: ['delivered' as const], perMinute: 60 };
    const none = await client.previewBulkReplay(side, other);
    expect(none).toMatchObject({ deliveries: 0, oldest: null, resourceCount: 0, resources: [] });
  });

  test('counts only the oldest deliveries of a long span, says that there are more, and queues all of them', async () => {
    const side = await fixture.companyWithFinished('dead_lettered', 5);
    const [oldest, second] = side.deliveries;
    await fixture.set('finished_deliveries', second.id, 'is_test = true');
    const selection = {
      states: ['dead_lettered', 'delivered'] as const,
      from: new Date(Date.now() - HOUR_MS),
      to: new Date(Date.now() + HOUR_MS),
      event: undefined,
    };
    const counted = async (maxCounted: number) => {
      const request = { ...side, ...caller, selection, perMinute: 60 };
      const preview = await previewBulkReplay(fixture.database, request, maxCounted);
      return [preview.deliveries, preview.atLeast, preview.resources[0]?.id === oldest.resource_id];
    };
    expect(await counted(2)).toEqual([1, true, true]);
    expect((await counted(4)).slice(0, 2)).toEqual([3, true]);
    expect((await counted(5)).slice(0, 2)).toEqual([4, false]);

    const deps = { database: fixture.database, logger };
    const begun = await createBulkReplay(deps, { ...side, ...caller, selection, perMinute: 60_000 }, 2);
    expect(begun).toMatchObject({ total: 1, atLeast: true });
    const ended = { state: 'done', total: 1, atLeast: true, queued: 4 };
    expect(await runToEnd({ ...side, replayId: begun.id })).toMatchObject(ended);
  });

  test('reads no more rows of a long span than it counts, and none while another one runs', async () => {
    const { companyId, subscriptionId } = await fixture.companyWithFinished('dead_lettered', 0);
    await fixture.insertMany('finished_deliveries', { companyId, subscriptionId }, [1, 20_000], {
      id: `'${idFloor('dlv', new Date()).slice(0, 24)}' || lpad(n::text, 6, '0')`,
      state: `case n % 2 when 0 then 'dead_lettered' else 'delivered' end`,
      created_at: 'now() - make_interval(secs => 20000 - n)',
    });
    await fixture.database.query('analyze finished_deliveries, deliveries, events');
    const plans: unknown[] = [];
    const explaining = beforeStatement(fixture.database, async (text, values, tx) => {
      if (text.includes('looked_at'))
        plans.push(...(await tx.query(`explain (analyze, format json) ${text}`, values)));
    });
    const selection = {
      states: ['dead_lettered'] as const,
      from: new Date(Date.now() - DAY_MS),
      to: new Date(Date.now() + HOUR_MS),
      event: 'install.job_assigned',
    };
    const request = { companyId, subscriptionId, ...caller, selection, perMinute: 60 };
    await previewBulkReplay(explaining, request, 100);
    const begin = () => createBulkReplay({ database: explaining, logger }, request, 100);
    const { id } = await begin();
    expect((await failureOf(begin())).message).toContain(id);
    // None for the one that was refused.
    expect(plans).toHaveLength(2);
    for (const plan of plans) {
      const scans = JSON.stringify(plan).match(/\{[^{}]*"Relation Name":"finished_deliveries[^{}]*\}/g) ?? [];
      expect(scans.length).toBeGreaterThan(0);
      const rows = [...scans.join().matchAll(/"(?:Actual Rows|Rows Removed by Filter)":(\d+)/g)];
      // Without the bound 10,000; with it, apart from the counted rows, at most those of other subscriptions in the span.
      expect(Math.max(...rows.map(([, count]) => Number(count)))).toBeLessThan(2_000);
    }
    await client.cancelBulkReplay({ companyId, replayId: id });
  });
});
