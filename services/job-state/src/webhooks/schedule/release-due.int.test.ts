import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '@partner/test-kit/eventually';
import { createInMemoryPublisher } from '@partner/kernel/testing/in-memory-publisher';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { fromBinary } from '@bufbuild/protobuf';
import { DeliverWebhooksSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { createGate } from '../../testing/create-gate.js';
import { textOf } from '../../testing/statement-text.js';
import { type Queryable } from '../../database/database.js';
import { type Scheduler, type SchedulerOptions, startScheduler } from './release-due.js';
import { fixture } from '../../testing/file-webhooks.js';
import { deliveriesWaiting, slotsFreed } from '../deliveries/releaser.js';

/** Longer than any test: an earlier release happened because the scheduler was woken. */
const NEVER_MS = 3_600_000;

let schedulers: Scheduler[] = [];

beforeEach(async () => {
  await fixture.database.query('delete from deliveries');
});

afterEach(async () => {
  await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
  schedulers = [];
});

function start(options: Partial<SchedulerOptions> & Pick<SchedulerOptions, 'intervalMs'>) {
  const publisher = createInMemoryPublisher();
  const log = createRecorder<string>();
  const record = (_fields: unknown, line?: unknown) => log.record(String(line));
  let now = 0;
  const scheduler = startScheduler({
    ...{ database: fixture.database, publisher, privateKeys: () => undefined, metrics: new Registry() },
    logger: { debug: () => undefined, info: record, warn: record },
    elapsedMs: () => now,
    ...{ leaseSeconds: 30, inFlight: 1_000, batchSize: 100 },
    ...options,
  });
  schedulers.push(scheduler);
  deliveriesWaiting.listen(fixture.database, scheduler.wake);
  slotsFreed.listen(fixture.database, scheduler.refill);
  const passSeconds = (seconds: number) => {
    now += seconds * 1_000;
  };
  return { scheduler, publisher, log, passSeconds };
}

async function allDue(): Promise<void> {
  await fixture.database.query(`update deliveries set next_attempt_at = now() - interval '1 second'`);
}

describe('startScheduler', () => {
  test('claims deliveries that a commit names while it works through the backlog of others', async () => {
    const { companyId } = await fixture.companyWith(0);
    const held = createGate();
    const database: Queryable = {
      query: async (statement, values) => {
        if (textOf(statement).includes('recursive hop')) await held.opened;
        return fixture.database.query(statement, values);
      },
    };
    const { publisher } = start({ intervalMs: NEVER_MS, database });
    // Its commit names the subscription.
    await fixture.event(companyId);
    expect(await publisher.published.atLeast(1)).toHaveLength(1);
    held.open();
  });

  test('never has a subscription in two concurrent claims, however often commits name it', async () => {
    const { companyId } = await fixture.companyWith(0);
    const claims = createRecorder<unknown>();
    const polls = createRecorder<string>();
    const held = createGate();
    const database: Queryable = {
      query: async (statement, values) => {
        if (textOf(statement).includes('recursive hop')) polls.record('look');
        if (textOf(statement).includes('with in_flight')) {
          claims.record(values?.at(-1));
          await held.opened;
        }
        return fixture.database.query(statement, values);
      },
    };
    const { publisher } = start({ intervalMs: 5, database });
    // Its commit names the subscription.
    await fixture.event(companyId);
    await claims.atLeast(1);
    const before = polls.all().length;
    await polls.atLeast(before + 5);
    expect(claims.all()).toHaveLength(1);
    held.open();
    await publisher.published.atLeast(1);
  });

  test('continues as long as it finds full batches', async () => {
    await fixture.companyWith(10);
    const { publisher } = start({ intervalMs: NEVER_MS, batchSize: 2 });
    const published = await publisher.published.atLeast(5);
    expect(new Set(published.map(({ messageId }) => messageId)).size).toBe(5);
    await eventually('all leased', async () => (await fixture.leases()) === 10);
  });

  test.each([
    ['first attempts', ''],
    ['retries', `update deliveries set state = 'retry_scheduled', attempts = 1`],
  ])('fills a slot at once that a recorded result has freed, from a backlog of %s', async (_, change) => {
    await fixture.companyWith(21);
    await fixture.database.query(change);
    start({ intervalMs: NEVER_MS });
    await eventually('all slots in use', async () => (await fixture.leases()) === 20);
    const [leased] = await fixture.database.query<{ id: string }>(
      'select id from deliveries where lease_id is not null limit 1',
    );
    await fixture.finish('delivered', leased?.id ?? '');
    await fixture.database.transaction((tx) => {
      slotsFreed.tell(tx);
      return Promise.resolve();
    });
    await eventually('the slot in use', async () => (await fixture.leases()) === 20);
    expect(await fixture.database.query('select from deliveries')).toHaveLength(20);
  });

  test('tries a single delivery per second while the broker is down, and resumes automatically', async () => {
    await fixture.companyWith(5);
    const tries = createRecorder<string>();
    let isBrokerAway = true;
    const { scheduler, log, passSeconds } = start({
      intervalMs: NEVER_MS,
      publisher: {
        publish({ messageId }) {
          tries.record(messageId);
          return isBrokerAway ? Promise.reject(new Error('the broker is away')) : Promise.resolve();
        },
      },
    });
    await log.find((line) => line === 'deliveries.release_failed');
    expect(tries.all()).toHaveLength(1);

    await allDue();
    passSeconds(1);
    scheduler.wake([]);
    await tries.atLeast(2);
    await eventually('the lease is returned', async () => (await fixture.leases()) === 0);
    expect(tries.all()).toHaveLength(2);

    isBrokerAway = false;
    await allDue();
    passSeconds(1);
    scheduler.wake([]);
    await log.find((line) => line === 'deliveries.release_resumed');
    await eventually('all leased', async () => (await fixture.leases()) === 5);
    expect(log.all()).toEqual(['deliveries.release_failed', 'deliveries.release_resumed']);
  });

  test('does not query the database between two attempts during an outage, however often it is woken', async () => {
    await fixture.companyWith(1);
    let queries = 0;
    const { scheduler, log, passSeconds } = start({
      intervalMs: 1,
      database: {
        query: () => {
          queries += 1;
          return Promise.reject(new Error('the database is away'));
        },
      },
    });
    await log.atLeast(1);
    for (let wake = 0; wake < 20; wake += 1) {
      scheduler.wake([]);
      await new Promise(setImmediate);
    }
    expect(queries).toBe(1);
    passSeconds(1);
    scheduler.wake([]);
    await log.atLeast(2);
    expect(queries).toBe(2);
  });

  test('stops after the batch in flight', async () => {
    const { companyId } = await fixture.companyWith(0);
    const { scheduler, publisher } = start({ intervalMs: 5 });
    await fixture.event(companyId);
    await publisher.published.atLeast(1);
    await scheduler.stop();
    await fixture.event(companyId);
    scheduler.wake([]);
    await new Promise(setImmediate);
    expect(publisher.published.all()).toHaveLength(1);
  });
});

test('startScheduler publishes only what is not withheld', async () => {
  const { companyId } = await fixture.companyWith(0);
  const [first, second] = [await fixture.event(companyId), await fixture.event(companyId)];
  const { publisher } = start({
    intervalMs: 5,
    withhold: (leased) => Promise.resolve(leased.filter(({ eventId }) => eventId !== first)),
  });
  const [message] = await publisher.published.atLeast(1);
  const { deliveries } = fromBinary(DeliverWebhooksSchema, message?.body ?? new Uint8Array());
  expect(deliveries.map(({ eventId }) => eventId)).toEqual([second]);
});
