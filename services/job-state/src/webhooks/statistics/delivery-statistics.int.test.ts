import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { ShownAttemptCounts } from '@partner/proto-contracts/resources/statistics/statistics';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { untilLockWaits } from '../../testing/lock-waits.js';
import { holdTransaction } from '../../testing/hold-transaction.js';
import { countAttempts } from './count-attempts.js';
import { foldStatistics } from './fold-statistics.js';
import { beforeStatement } from '../../testing/before-statement.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { resultsHandler } from '../../testing/webhook-fixture.js';
import { attempted, client, fail, FAILED, fixture, handle, together } from '../testing/results-fixture.js';

const DAY_MS = 24 * 3_600_000;

const lastDay = () => ({ from: new Date(Date.now() - DAY_MS / 2), to: new Date() });

type Counts = Pick<ShownAttemptCounts, 'delivered' | 'failed' | 'deadLettered'>;

const plain = ({ delivered, failed, deadLettered }: Counts) => ({ delivered, failed, deadLettered });

async function totalsOf(of: { companyId: string; subscriptionId: string }) {
  const { totals } = await client.getSubscriptionStatistics(of, lastDay());
  return plain(totals);
}

describe('the statistics of a subscription', () => {
  test('count each attempt at once, results of finished deliveries, and keep the dead letter that one of them reverts [CONSOLE-6]', async () => {
    const of = await fixture.companyWith(1);
    for (let failed = 1; failed <= 8; failed += 1) {
      await fail(of.deliveryId);
      expect(await totalsOf(of)).toEqual({ delivered: 0, failed, deadLettered: failed === 8 ? 1 : 0 });
    }
    const [late, success] = [attempted(of.deliveryId, { outcome: FAILED }), attempted(of.deliveryId)];
    await together(late, late, success, success);
    await together(late, success);
    expect(await fixture.delivery(of.deliveryId)).toMatchObject({ state: 'delivered' });
    expect(await totalsOf(of)).toEqual({ delivered: 1, failed: 9, deadLettered: 1 });
  });

  test('count no dead letter that a result of the same batch delivers', async () => {
    const of = await fixture.companyWith(1);
    for (let n = 0; n < 7; n += 1) await fail(of.deliveryId);
    await together(attempted(of.deliveryId, { outcome: FAILED }), attempted(of.deliveryId));
    expect(await totalsOf(of)).toEqual({ delivered: 1, failed: 8, deadLettered: 0 });
    expect(await fixture.delivery(of.deliveryId)).toMatchObject({ state: 'delivered', attempts: 8 });
  });

  test('exclude tests, before and after they finish, and attempts of deliveries that no longer exist [CONSOLE-6]', async () => {
    const of = await fixture.companyWith(2);
    const [testId, ordinaryId] = of.ids;
    await fixture.set('deliveries', testId, 'is_test = true');
    await together(attempted(testId, { outcome: FAILED }), attempted(ordinaryId, { outcome: FAILED }));
    await handle(attempted(testId));
    await fail(testId);
    await handle(attempted(newId('dlv')));
    expect(await totalsOf(of)).toEqual({ delivered: 0, failed: 1, deadLettered: 0 });
  });

  test('count deliveries where they were created, by what became of them, and tests never [CONSOLE-6]', async () => {
    const of = await fixture.companyWith(5);
    const [first, second, dead, waiting, testId] = of.ids;
    await fixture.set('deliveries', testId, 'is_test = true');
    for (const id of of.ids) await fixture.set('deliveries', id, `created_at = '2026-03-05T10:00:00Z'`);
    const counts = async () => {
      const span = { from: '2026-03-05T09:58:00Z', to: '2026-03-05T10:05:00Z' };
      const { buckets } = await client.getSubscriptionStatistics(of, span);
      return buckets.map(({ deliveries }) => Object.values(deliveries).join(' '));
    };
    for (const id of [second, waiting, testId]) await fail(id);
    await together(attempted(first), attempted(second));
    for (let n = 0; n < 8; n += 1) await fail(dead);
    expect(await counts()).toEqual(['4 2 1 1']);
    await handle(attempted(dead));
    expect(await counts()).toEqual(['4 3 1 0']);
    const { webhooks } = await client.getCompanyStatistics(of, lastDay());
    expect(webhooks).toMatchObject([{ retrying: 1 }]);
    // A row of an earlier version.
    await fixture.database.query(
      'update delivery_statistics set deliveries = null, delivered = 6, dead_lettered = 2 where subscription_id = $1',
      [of.subscriptionId],
    );
    expect(await counts()).toEqual(['8 6  2']);
    await handle(attempted(waiting));
    expect(await counts()).toEqual(['9 7  2']);
  });

  test('add up over concurrent batches of replicas for the same subscriptions', async () => {
    const companies = await Promise.all([30, 30, 30].map((events) => fixture.companyWith(events)));
    const replicas = [1, 2, 3].map(() => resultsHandler(fixture.database));
    const messages = companies.flatMap(({ ids }) => ids).map((id) => attempted(id));
    const shuffled = [messages, [...messages].reverse(), [...messages.slice(45), ...messages.slice(0, 45)]];
    await Promise.all(
      replicas.flatMap((replica, index) => (shuffled[index] ?? []).map((message) => replica(message))),
    );
    for (const of of companies) {
      expect(await totalsOf(of)).toEqual({ delivered: 30, failed: 0, deadLettered: 0 });
      for (const id of of.ids)
        expect(await fixture.delivery(id)).toMatchObject({ state: 'delivered', attempts: 1 });
    }
  });

  test('are locked by the last statement before the commit', async () => {
    const { deliveryId } = await fixture.companyWith(1);
    const statements: string[] = [];
    const database = beforeStatement(fixture.database, (text) => void statements.push(text));
    await resultsHandler(database)(attempted(deliveryId));
    expect(statements.at(-1)).toContain('insert into delivery_statistics');
    expect(statements.filter((text) => text.includes('delivery_statistics'))).toHaveLength(1);
  });

  test('are locked in ascending order, so that two batches never deadlock', async () => {
    const attempt = { startedAt: new Date('2026-03-06T10:00:00Z'), durationMs: 12, isDelivered: true };
    const ordinary = { ...attempt, isTest: false, isDeadLetter: false };
    const [lower, higher] = ['whk_1', 'whk_2'].map((subscriptionId) => ({ ...ordinary, subscriptionId }));
    invariant(lower && higher, 'two attempts');
    const { database } = fixture;
    const first = await holdTransaction(database, (tx) => {
      countAttempts(tx, [lower]);
      return tx.query('select 1');
    });
    const second = database.transaction((tx) => countAttempts(tx, [higher, lower]));
    await untilLockWaits(database);
    const third = database.transaction((tx) => countAttempts(tx, [higher]), { lockTimeoutMs: 60_000 });
    const [end] = await Promise.allSettled([third]);
    await Promise.all([first.release(), second]);
    expect(end).toMatchObject({ status: 'fulfilled' });
  });
});

describe('the buckets of statistics', () => {
  /** A Thursday, far enough in the past that no other data is there. */
  const at = (time: string) => new Date(`2026-03-05T${time}Z`);

  async function bucketsOf(of: { companyId: string; subscriptionId: string }, from: Date, to: Date) {
    const { bucketMinutes, buckets, totals } = await client.getSubscriptionStatistics(of, { from, to });
    const shown = buckets.map(({ startsAt, ...counts }) => ({
      startsAt: startsAt.slice(5, 16),
      ...plain(counts),
    }));
    return { bucketMinutes, buckets: shown, totals: plain(totals) };
  }

  async function companyWithHistory() {
    const of = await fixture.companyWith(6);
    const times = ['10:00:00', '10:04:59.999', '10:05:00', '11:59:59.999', '12:00:00', '17:59:00'];
    const outcome = (index: number) => (index === 2 ? FAILED : AttemptOutcome.DELIVERED);
    await together(
      ...of.ids.map((id, index) =>
        attempted(id, { startedAt: at(times[index] ?? ''), outcome: outcome(index) }),
      ),
    );
    return of;
  }
  const bucket = (startsAt: string, delivered: number, failed = 0) => ({
    startsAt: `03-05T${startsAt}`,
    delivered,
    failed,
    deadLettered: 0,
  });

  test('contain the attempts that began in them: of 5 minutes, an hour or 6 hours, by the length of the span [CONSOLE-5]', async () => {
    const of = await companyWithHistory();
    const totals = { delivered: 5, failed: 1, deadLettered: 0 };
    const late = [bucket('11:55', 1), bucket('12:00', 1), bucket('17:55', 1)];
    const hours = [bucket('10:00', 2, 1), bucket('11:00', 1), bucket('12:00', 1), bucket('17:00', 1)];
    for (const [days, bucketMinutes, buckets] of [
      [1, 5, [bucket('10:00', 2), bucket('10:05', 0, 1), ...late]],
      [7, 60, hours],
      [31, 360, [bucket('06:00', 3, 1), bucket('12:00', 2)]],
    ] as const) {
      const end = new Date(at('00:00:00').getTime() + days * DAY_MS);
      expect(await bucketsOf(of, at('00:00:00'), end)).toEqual({ bucketMinutes, buckets, totals });
    }
  });

  test('are the same after rows of less than five minutes were added together', async () => {
    const of = await companyWithHistory();
    // As counted within the hour, and one later.
    await fixture.database.query(
      `update delivery_statistics set starts_at = starts_at + interval '10 seconds' where subscription_id = $1 and starts_at < $2`,
      [of.subscriptionId, at('23:59:00')],
    );
    await handle(attempted(of.ids[0], { startedAt: at('10:04:10') }));
    const read = () => client.getSubscriptionStatistics(of, { from: at('00:00:00'), to: at('23:59:00') });
    const rows = () =>
      fixture.database.query(
        `select from delivery_statistics where subscription_id = $1 and starts_at < now() - interval '1 hour'`,
        [of.subscriptionId],
      );
    const before = await read();
    expect(await rows()).toHaveLength(6);
    expect(await foldStatistics(fixture.database)).toBe('idle');
    expect(await read()).toEqual(before);
    expect(await rows()).toHaveLength(5);
  });

  test('count a delivery once that is retried after they were added together', async () => {
    const of = await fixture.companyWith(1);
    await fixture.set('deliveries', of.deliveryId, `created_at = '2026-03-05T10:00:17Z'`);
    const read = async () => {
      const span = { from: at('00:00:00'), to: at('23:59:00') };
      return (await client.getSubscriptionStatistics(of, span)).totals.deliveries;
    };
    // As counted within the hour.
    await fixture.database.query(
      `insert into delivery_statistics (subscription_id, starts_at, delivered, failed, dead_lettered, durations, deliveries)
       values ($1, '2026-03-05T10:00:10Z', 0, 0, 0, array_fill(0, array[15]), '{1,0,0,0}')`,
      [of.subscriptionId],
    );
    await fixture.set('deliveries', of.deliveryId, 'attempts = 1');
    await handle(attempted(of.deliveryId));
    const counted = { total: 1, delivered: 1, deliveredFirst: 0, deadLettered: 0 };
    expect(await read()).toEqual(counted);
    await foldStatistics(fixture.database);
    expect(await read()).toEqual(counted);
  });

  test('count completely, also the first and the last one of the span, and no others', async () => {
    const of = await companyWithHistory();
    const first = { buckets: [bucket('10:00', 2)], totals: { delivered: 2, failed: 0 } };
    expect(await bucketsOf(of, at('10:04:30'), at('10:05:00'))).toMatchObject(first);
    const others = [bucket('10:05', 0, 1), bucket('11:55', 1)];
    expect(await bucketsOf(of, at('10:05:00'), at('11:55:00.001'))).toMatchObject({ buckets: others });
  });

  test("count an attempt as begun now if the dispatcher's clock is ahead [CONSOLE-6]", async () => {
    const of = await fixture.companyWith(2);
    const [ahead, present] = of.ids;
    await together(attempted(ahead, { startedAt: new Date(Date.now() + 3 * DAY_MS) }), attempted(present));
    expect(await totalsOf(of)).toEqual({ delivered: 2, failed: 0, deadLettered: 0 });
  });

  test('report the durations of the attempts, per bucket and in total [CONSOLE-7]', async () => {
    const of = await fixture.companyWith(20);
    await together(
      ...of.ids.map((id, index) =>
        attempted(id, {
          startedAt: at(index < 10 ? '10:00:00' : '10:05:00'),
          durationMs: index < 10 ? 10 : 400,
          outcome: index % 2 === 0 ? FAILED : AttemptOutcome.DELIVERED,
        }),
      ),
    );
    const within = (from: string, to: string) =>
      client.getSubscriptionStatistics(of, { from: at(from), to: at(to) });
    const found = await within('10:00:00', '11:00:00');
    expect(found.buckets.map(({ p50Ms, p95Ms }) => [p50Ms, p95Ms])).toEqual([
      [13, 24],
      [400, 490],
    ]);
    expect([found.totals.p50Ms, found.totals.p95Ms]).toEqual([25, 480]);
    const { totals } = await within('01:00:00', '02:00:00');
    expect(totals).toMatchObject({ attempts: 0, delivered: 0, failed: 0, p50Ms: null, p95Ms: null });
  });
});

describe('the statistics of a company', () => {
  const ofCompany = async (companyId: string) => {
    const { webhooks, buckets, totals } = await client.getCompanyStatistics({ companyId }, lastDay());
    return {
      webhooks: webhooks.map(({ webhookId, totals: own }) => [webhookId, plain(own)]),
      inBuckets: buckets.reduce((sum, { attempts }) => sum + attempts, 0),
      totals: plain(totals),
    };
  };

  test('cover each subscription and all together, but no other company and no deleted subscription [CONSOLE-7]', async () => {
    const companyId = await fixture.company();
    const subscriptions = [1, 2, 3, 4].map(() => fixture.subscription({ companyId }));
    const [first = '', second = '', deleted = '', silent = ''] = (await Promise.all(subscriptions)).sort();
    for (let event = 0; event < 2; event += 1) await fixture.event(companyId);
    const attemptsOf = async (subscriptionId: string, outcome = AttemptOutcome.DELIVERED) =>
      (await fixture.deliveriesOf(subscriptionId)).map(({ id }) => attempted(id, { outcome }));
    const failed = (await attemptsOf(second, FAILED)).slice(1);
    await together(...(await attemptsOf(first)), ...failed, ...(await attemptsOf(deleted)));
    const other = await fixture.companyWith(1);
    await handle(attempted(other.deliveryId));
    await fixture.set('subscriptions', deleted, 'deleted_at = now()');

    expect(await ofCompany(companyId)).toEqual({
      webhooks: [
        [first, { delivered: 2, failed: 0, deadLettered: 0 }],
        [second, { delivered: 0, failed: 1, deadLettered: 0 }],
        [silent, { delivered: 0, failed: 0, deadLettered: 0 }],
      ],
      inBuckets: 3,
      totals: { delivered: 2, failed: 1, deadLettered: 0 },
    });
    expect(
      await failureOf(client.getSubscriptionStatistics({ companyId, subscriptionId: deleted }, lastDay())),
    ).toMatchObject({ reason: 'not_found' });
  });

  test('have the trend and the waiting deliveries of each subscription [CONSOLE-13]', async () => {
    const { companyId, subscriptionId, ids } = await fixture.companyWith(5);
    const silent = await fixture.subscription({ companyId });
    const [first, second, third, ...held] = ids;
    const at = (minutes: number) => new Date(Date.UTC(2026, 2, 1, 0, minutes));
    await together(
      attempted(first, { startedAt: at(61) }),
      attempted(second, { startedAt: at(89), outcome: FAILED }),
      attempted(third, { startedAt: at(90), outcome: FAILED }),
    );
    await fixture.database.query(`update deliveries set state = 'held' where id = any($1::text[])`, [held]);
    const read = async () => {
      const span = { from: at(0), to: at(24 * 60) };
      const { webhooks, trendMinutes } = await client.getCompanyStatistics({ companyId }, span);
      expect(trendMinutes).toBe(30);
      return webhooks.map(({ totals: _, ...webhook }) => webhook);
    };
    // Deliveries count when they are created, which is now.
    const deliveries = expect.objectContaining({ total: 0, delivered: 0, deadLettered: 0 });
    const trend = [
      { startsAt: at(60).toISOString(), delivered: 1, failed: 1, deliveries },
      { startsAt: at(90).toISOString(), delivered: 0, failed: 1, deliveries },
    ];
    expect(await read()).toEqual([
      { webhookId: subscriptionId, trend, retrying: 2, held: 2 },
      { webhookId: silent, trend: [], retrying: 0, held: 0 },
    ]);
    await fixture.database.query(
      `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, state)
       select d.id || n, subscription_id, company_id, event_id, event, resource_type, resource_id, state
       from deliveries d, generate_series(1, 500) n where subscription_id = $1`,
      [subscriptionId],
    );
    expect((await read())[0]).toMatchObject({ retrying: 1_000, held: 1_000 });
  });
});
