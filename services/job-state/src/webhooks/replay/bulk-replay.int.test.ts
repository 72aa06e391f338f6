import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { idFloor, newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { ServiceError } from '@partner/kernel/service-error';
import type { QueryResultRow } from 'pg';
import type { Database, Transaction } from '../../database/database.js';
import { recordEvent } from '../events/record-event.js';
import { connectDeliveries } from '../../testing/public-clients.js';
import { openWebhookFixture, type WebhookFixture } from '../../testing/webhook-fixture.js';
import { startBackfill } from '../subscriptions/start-backfill.js';
import { createBulkReplay, previewBulkReplay } from './bulk-replay.js';
import { createDeliveryService } from '../delivery-service.js';
import { stepBulkReplay } from './run-bulk-replays.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let fixture: WebhookFixture;
let client: ReturnType<typeof connect>;
const logLines: unknown[][] = [];
const logger = {
  info: (...line: unknown[]) => void logLines.push(line),
  warn: (...line: unknown[]) => void logLines.push(line),
};

function connect() {
  const service = createDeliveryService({ database: fixture.database, logger });
  return connectDeliveries(service);
}

beforeAll(async () => {
  fixture = await openWebhookFixture();
  client = connect();
});

afterAll(async () => {
  await fixture.close();
});

const fromNow = (ms: number) => timestampFromDate(new Date(Date.now() + ms));

function deadLetters() {
  return { states: ['dead_lettered'], from: fromNow(-HOUR_MS), to: fromNow(HOUR_MS) };
}

async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  return call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (thrown: unknown) => serviceErrorFrom(thrown),
  );
}

/** A company with one subscription and this many deliveries to it, oldest first, in this final state. */
async function companyWith(state: 'delivered' | 'dead_lettered', count: number) {
  const companyId = await fixture.company();
  const subscriptionId = await fixture.subscription({ companyId });
  for (let made = 0; made < count; made += 1) await fixture.event(companyId);
  const deliveries = await fixture.deliveriesOf(subscriptionId);
  await fixture.finish(state, ...deliveries.map(({ id }) => id));
  return { companyId, subscriptionId, deliveries };
}

async function begin(
  of: { readonly companyId: string; readonly subscriptionId: string },
  options: { readonly selection?: object; readonly perMinute?: number } = {},
) {
  const { companyId, subscriptionId } = of;
  const replay = await client.createBulkReplay({
    companyId,
    subscriptionId,
    selection: { ...deadLetters(), ...options.selection },
    perMinute: options.perMinute ?? 60_000,
  });
  return { companyId, replayId: replay.id, replay };
}

/** The clock of a service after every event has settled. */
const later = () => new Date(Date.now() + 300_000);

const step = (clock = later) => stepBulkReplay({ database: fixture.database, logger, clock });

/** The database, with a hook before each statement of a transaction. */
function before(
  statement: (text: string, values: readonly unknown[], tx: Transaction) => Promise<void> | void,
): Pick<Database, 'transaction'> {
  return {
    transaction: (work, limits) =>
      fixture.database.transaction(
        (tx) =>
          work({
            ...tx,
            query: async <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
              await statement(text, values, tx);
              return tx.query<Row>(text, values);
            },
          }),
        limits,
      ),
  };
}

/** Runs one step of this bulk replay, as if it were due. */
async function stepOf(replayId: string): Promise<void> {
  await fixture.database.query(
    `update bulk_replays set next_run_at = case id when $1 then now() else now() + interval '1 hour' end
     where state = 'running'`,
    [replayId],
  );
  await step();
}

/** Runs the steps of this bulk replay until it finishes. */
async function runToEnd(of: { readonly companyId: string; readonly replayId: string }) {
  for (;;) {
    const replay = await client.getBulkReplay(of);
    if (replay.state !== 'running') return replay;
    await stepOf(of.replayId);
  }
}

async function queuedBy(subscriptionId: string, replayId: string) {
  const deliveries = await fixture.deliveriesOf(subscriptionId);
  return deliveries.filter(({ bulk_replay_id }) => bulk_replay_id === replayId);
}

const eventsOf = (deliveries: readonly { readonly event_id: string }[]) =>
  deliveries.map(({ event_id }) => event_id).sort();

describe('a bulk replay', () => {
  test('queues each delivery of its states and span once, each as a separate delivery, and finishes [REPLAY-1]', async () => {
    const side = await companyWith('dead_lettered', 5);
    const [outside, delivered, ...meant] = side.deliveries;
    invariant(outside && delivered, 'five deliveries');
    await fixture.database.query('update finished_deliveries set created_at = $2 where id = $1', [
      outside.id,
      new Date(Date.now() - 2 * HOUR_MS),
    ]);
    await fixture.database.query(`update finished_deliveries set state = 'delivered' where id = $1`, [
      delivered.id,
    ]);
    const begun = await begin(side);
    expect(begun.replay).toMatchObject({
      subscriptionId: side.subscriptionId,
      kind: 'replay',
      state: 'running',
      total: 3,
      queued: 0,
    });
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

  test('queues an event with two dead letters once, and none that is in flight or was delivered since [REPLAY-3]', async () => {
    const side = await companyWith('dead_lettered', 4);
    const [twice, underWay, recovered, once] = side.deliveries;
    invariant(twice && underWay && recovered && once, 'four deliveries');
    const replayOf = async ({ id }: { readonly id: string }) => {
      const replay = await client.replayDelivery({ companyId: side.companyId, deliveryId: id });
      return replay.id;
    };
    await fixture.finish('dead_lettered', await replayOf(twice));
    await replayOf(underWay);
    await fixture.finish('delivered', await replayOf(recovered));

    const preview = await client.previewBulkReplay({ ...side, selection: deadLetters(), perMinute: 2 });
    expect(preview.deliveries).toBe(2);
    const begun = await begin(side);
    expect(begun.replay.total).toBe(2);
    expect(await runToEnd(begun)).toMatchObject({ queued: 2 });
    expect(eventsOf(await queuedBy(side.subscriptionId, begun.replayId))).toEqual(eventsOf([twice, once]));
  });

  test('skips tests and events past their retention [REPLAY-3]', async () => {
    const side = await companyWith('delivered', 3);
    const [tested, dropped, kept] = side.deliveries;
    invariant(tested && dropped && kept, 'three deliveries');
    await fixture.database.query('update finished_deliveries set is_test = true where id = $1', [tested.id]);
    await fixture.database.query('delete from events where id = $1', [dropped.event_id]);
    const begun = await begin(side, { selection: { states: ['delivered'] } });
    expect(await runToEnd(begun)).toMatchObject({ total: 1, queued: 1 });
    expect(eventsOf(await queuedBy(side.subscriptionId, begun.replayId))).toEqual([kept.event_id]);
  });

  test('is limited to an event or a group [REPLAY-1]', async () => {
    const side = await companyWith('dead_lettered', 2);
    const [first] = side.deliveries;
    await fixture.database.query(
      `update finished_deliveries set event = 'install.job_assigned' where id = $1`,
      [first?.id],
    );
    const begun = await begin(side, { selection: { event: 'install.job_assigned' } });
    expect(await runToEnd(begun)).toMatchObject({
      total: 1,
      queued: 1,
      event: 'install.job_assigned',
    });
    const counts = [];
    for (const event of ['install.*', 'quote.*']) {
      counts.push(
        (await client.previewBulkReplay({ ...side, selection: { ...deadLetters(), event }, perMinute: 60 }))
          .deliveries,
      );
    }
    expect(counts).toEqual([1, 0]);
  });

  test('does not replay its own deliveries, however long its span is [REPLAY-3]', async () => {
    const side = await companyWith('delivered', 3);
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
    const side = await companyWith('dead_lettered', 5);
    const begun = await begin(side, { perMinute: 120 });
    await stepOf(begun.replayId);
    expect((await client.getBulkReplay(begun)).queued).toBe(2);
    const [due] = await fixture.database.query<{ in_ms: number }>(
      `select (extract(epoch from next_run_at - created_at) * 1000)::integer as in_ms from bulk_replays where id = $1`,
      [begun.replayId],
    );
    expect(due?.in_ms).toBeGreaterThanOrEqual(1_000);
    expect(await runToEnd(begun)).toMatchObject({ queued: 5 });

    const slow = await begin(await companyWith('dead_lettered', 2), { perMinute: 1 });
    await stepOf(slow.replayId);
    expect((await client.getBulkReplay(slow)).queued).toBe(1);
    expect(await step()).toBe('idle');
    await client.cancelBulkReplay(slow);
  });

  test('queues no more while 100 of its deliveries wait for their first attempt, and finally each event once', async () => {
    const side = await companyWith('dead_lettered', 230);
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
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1 where id = $1`,
      [attempted.id],
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

  test('queues nothing twice and skips nothing when many replicas step concurrently and some of them fail [REPLAY-1]', async () => {
    const side = await companyWith('dead_lettered', 12);
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
      await fixture.database.query('update bulk_replays set next_run_at = now() where id = $1', [
        begun.replayId,
      ]);
      await Promise.allSettled(
        Array.from({ length: 3 }, () => stepBulkReplay({ database: flaky, logger, clock: later })),
      );
    }
    const queued = await queuedBy(side.subscriptionId, begun.replayId);
    expect(eventsOf(queued)).toEqual(eventsOf(side.deliveries));
    expect((await client.getBulkReplay(begun)).queued).toBe(12);
  });

  test('waits while the subscription is paused and resumes afterwards [REPLAY-3]', async () => {
    const side = await companyWith('dead_lettered', 2);
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
    const side = await companyWith('dead_lettered', 2);
    const begun = await begin(side);
    await fixture.database.query(
      `update subscriptions set state = 'paused', paused_at = now(), deleted_at = now() where id = $1`,
      [side.subscriptionId],
    );
    expect(await runToEnd(begun)).toMatchObject({ state: 'cancelled', queued: 0 });
  });

  test('is cancelled by its owner: queued deliveries continue, no more are queued, and a repeat is harmless [REPLAY-4]', async () => {
    const side = await companyWith('dead_lettered', 3);
    const begun = await begin(side, { perMinute: 60 });
    await stepOf(begun.replayId);
    const cancelled = await client.cancelBulkReplay({ ...begun, actingMembershipId: 'mem_1' });
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
    const side = await companyWith('dead_lettered', 1);
    const results = await Promise.allSettled([begin(side), begin(side), begin(side)]);
    const begun = results.find((result) => result.status === 'fulfilled');
    invariant(begun?.status === 'fulfilled', 'one was begun');
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const failure = serviceErrorFrom(result.reason);
      expect(failure.reason).toBe('replay_in_progress');
      expect(failure.message).toContain(begun.value.replayId);
    }
    await runToEnd(begun.value);
    const second = await begin(side);
    const { replays, nextCursor } = await client.listBulkReplays({ ...side, limit: 1 });
    expect(replays.map(({ id }) => id)).toEqual([second.replayId]);
    expect(nextCursor).toBe(second.replayId);
    const older = await client.listBulkReplays({ ...side, beforeReplayId: second.replayId });
    expect(older.replays.map(({ id }) => id)).toEqual([begun.value.replayId]);
    expect(older.nextCursor).toBeNull();
  });

  test('has a preview with its count, time span and resources [REPLAY-1]', async () => {
    const side = await companyWith('dead_lettered', 3);
    const [first, second, third] = side.deliveries;
    invariant(first && second && third, 'three deliveries');
    await fixture.database.query(
      `update finished_deliveries set resource_id = $2 where id = any($1::text[])`,
      [[first.id, third.id], first.resource_id],
    );
    const preview = await client.previewBulkReplay({ ...side, selection: deadLetters(), perMinute: 2 });
    expect(preview).toMatchObject({
      deliveries: 3,
      resourceCount: 2,
      resources: [
        { type: 'install_job', id: first.resource_id, deliveries: 2 },
        { type: 'install_job', id: second.resource_id, deliveries: 1 },
      ],
      // Of 3 deliveries at 2 per minute.
      estimatedMinutes: 2,
    });
    invariant(preview.oldest && preview.newest, 'there are deliveries');
    expect(preview.oldest < preview.newest).toBe(true);
    expect(await fixture.deliveriesOf(side.subscriptionId)).toHaveLength(3);

    const none = await client.previewBulkReplay({
      ...side,
      selection: { ...deadLetters(), states: ['delivered'] },
      perMinute: 60,
    });
    expect(none).toMatchObject({ deliveries: 0, oldest: null, resourceCount: 0, resources: [] });
  });

  test('counts only the oldest deliveries of a long span, says that there are more, and queues all of them', async () => {
    const side = await companyWith('dead_lettered', 5);
    const [oldest, second] = side.deliveries;
    await fixture.database.query('update finished_deliveries set is_test = true where id = $1', [second?.id]);
    const selection = {
      states: ['dead_lettered', 'delivered'] as const,
      from: new Date(Date.now() - HOUR_MS),
      to: new Date(Date.now() + HOUR_MS),
      event: undefined,
    };
    const counted = async (maxCounted: number) => {
      const preview = await previewBulkReplay(
        fixture.database,
        { ...side, selection, perMinute: 60 },
        { maxCounted },
      );
      return [preview.deliveries, preview.atLeast, preview.resources[0]?.id === oldest?.resource_id];
    };
    expect(await counted(2)).toEqual([1, true, true]);
    expect((await counted(4)).slice(0, 2)).toEqual([3, true]);
    expect((await counted(5)).slice(0, 2)).toEqual([4, false]);

    const deps = { database: fixture.database, logger };
    const begun = await createBulkReplay(deps, { ...side, selection, perMinute: 60_000 }, { maxCounted: 2 });
    expect(begun).toMatchObject({ total: 1, atLeast: true });
    expect(await runToEnd({ ...side, replayId: begun.id })).toMatchObject({
      state: 'done',
      total: 1,
      atLeast: true,
      queued: 4,
    });
  });

  test('reads no more rows of a long span than it counts', async () => {
    const { companyId, subscriptionId } = await companyWith('dead_lettered', 0);
    const at = (n: string) => `now() - make_interval(secs => 20000 - ${n})`;
    await fixture.database.query(
      `insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
         state, attempts, created_at, finished_at)
       select $3 || lpad(n::text, 6, '0'), $1, $2, 'evt_long_' || n, 'install.status_changed', 'install_job', 'job_' || n,
         false, case n % 2 when 0 then 'dead_lettered' else 'delivered' end, 1, ${at('n')}, now()
       from generate_series(1, 20000) as n`,
      [subscriptionId, companyId, idFloor('dlv', new Date()).slice(0, 24)],
    );
    await fixture.database.query('analyze finished_deliveries, deliveries, events');
    const plans: unknown[] = [];
    const explaining = before(async (text, values, tx) => {
      if (text.includes('looked_at'))
        plans.push(...(await tx.query(`explain (analyze, format json) ${text}`, values)));
    });
    const selection = {
      states: ['dead_lettered'] as const,
      from: new Date(Date.now() - DAY_MS),
      to: new Date(Date.now() + HOUR_MS),
      event: 'install.job_assigned',
    };
    const request = { companyId, subscriptionId, selection, perMinute: 60 };
    await previewBulkReplay(explaining, request, { maxCounted: 100 });
    const { id } = await createBulkReplay({ database: explaining, logger }, request, { maxCounted: 100 });
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

  test('is refused, before any count, while another one runs', async () => {
    const side = await companyWith('dead_lettered', 1);
    const first = await begin(side);
    const database = before((text) => {
      if (text.includes('looked_at')) throw new Error('counted');
    });
    const selection = {
      states: ['dead_lettered'] as const,
      from: new Date(Date.now() - HOUR_MS),
      to: new Date(),
      event: undefined,
    };
    const second = createBulkReplay({ database, logger }, { ...side, selection, perMinute: 60 });
    expect((await failureOf(second)).message).toContain(first.replayId);
    await client.cancelBulkReplay(first);
  });

  test('retries a failed step later, without blocking other steps', async () => {
    const side = await companyWith('dead_lettered', 1);
    const failing = await begin(side);
    const other = await begin(await companyWith('dead_lettered', 1));
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
    const database = before((text, values) => {
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

  test.each([
    ['no state', { states: [] }, {}, 'states'],
    ['another state', { states: ['held'] }, {}, 'states.0'],
    ['an end before its beginning', { to: fromNow(-2 * HOUR_MS) }, {}, 'to'],
    ['a span of more than 90 days', { from: fromNow(-90 * DAY_MS) }, {}, 'to'],
    ['an event that does not exist', { event: 'install' }, {}, 'event'],
    ['no rate', {}, { perMinute: 0 }, 'perMinute'],
    ['too high a rate', {}, { perMinute: 60_001 }, 'perMinute'],
  ])('with %s is refused, and the field is named', async (_name, selection, rate, field) => {
    const side = await companyWith('dead_lettered', 0);
    const failure = await failureOf(begin(side, { selection, ...rate }));
    expect(failure.reason).toBe('invalid_argument');
    expect(failure.attributes.details?.map(({ path }) => path)).toContain(field);
  });
});

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
        startBackfill(tx, { companyId, subscriptionId, from, to }),
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

  test('skips events that the subscription does not name, another schema version, a disallowed class, and tests [WEBHOOK-5]', async () => {
    const { subscriptionId, missed, activate } = await pausedWith(3);
    const [first, second, third] = missed;
    const change = (set: string, id: string | undefined) =>
      fixture.database.query(`update events set ${set} where id = $1`, [id]);
    await change(`name = 'install.job_assigned'`, first);
    await change('schema_version = 2', second);
    await change(`name = 'install.test'`, third);
    await fixture.database.query(
      `update subscriptions set events = '{install.status_changed,install.test}' where id = $1`,
      [subscriptionId],
    );
    expect(await runToEnd(await activate())).toMatchObject({ total: 0, queued: 0 });

    const other = await pausedWith(1);
    await fixture.database.query(`update companies set class = 'SALES' where id = $1`, [other.companyId]);
    expect(await runToEnd(await other.activate())).toMatchObject({ total: 0, queued: 0 });
  });

  test('passes events only once they have settled, and finds one that was committed after the activation [WEBHOOK-5]', async () => {
    const { companyId, subscriptionId, missed, activate } = await pausedWith(1);
    const jobId = newId('job');
    const now = new Date();
    let end: () => void = () => undefined;
    const isHeldBack = new Promise<void>((resolve) => (end = resolve));
    let isRecorded: () => void = () => undefined;
    const recorded = new Promise<void>((resolve) => (isRecorded = resolve));
    const late = fixture.database.transaction(async (tx) => {
      const { eventId } = recordEvent(tx, {
        companyId,
        event: 'install.status_changed',
        occurredAt: now,
        resource: { type: 'install_job', id: jobId, version: 2 },
        data: {
          jobId,
          previousStatus: 'ASSIGNED',
          status: 'ACKNOWLEDGED',
          occurredAt: now.toISOString(),
          note: null,
          blockerCode: null,
        },
        now,
      });
      await tx.query('select 1');
      isRecorded();
      await isHeldBack;
      return eventId;
    });
    await recorded;
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
    end();
    const lateId = await late;
    expect(await runToEnd(begun)).toMatchObject({ state: 'done', queued: 2 });
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual([...missed, lateId].sort());
  });

  test('finds events in flight at the pause or the activation by the reason why they were not queued [WEBHOOK-5]', async () => {
    const { subscriptionId, missed, activate } = await pausedWith(2);
    const [before, after] = missed;
    const begun = await activate();
    await fixture.database.query(
      `update events set created_at = created_at - interval '30 s' where id = $1`,
      [before],
    );
    await fixture.database.query(
      `update events set created_at = created_at + interval '30 s' where id = $1`,
      [after],
    );
    expect(await runToEnd(begun)).toMatchObject({ queued: 2 });
    expect(eventsOf(await queuedBy(subscriptionId, begun.replayId))).toEqual([...missed].sort());
  });

  test('counts some of the events of a long pause, and says that there are more', async () => {
    const { companyId, subscriptionId, activate } = await pausedWith(3);
    const from = new Date(Date.now() - HOUR_MS);
    const { id } = await fixture.database.transaction((tx) =>
      startBackfill(tx, { companyId, subscriptionId, from, to: new Date() }, { maxCounted: 2 }),
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
