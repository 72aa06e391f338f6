import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { textOf } from '../../testing/statement-text.js';
import { untilLockWaits } from '../../testing/lock-waits.js';
import { createGate } from '../../testing/create-gate.js';
import { countAttempts } from './count-attempts.js';
import {
  FAILED,
  DAY_MS,
  fixture,
  handle,
  client,
  handlerWith,
  attempted,
  together,
  span,
  plain,
  totalsOf,
} from '../testing/statistics-fixture.js';

describe('the statistics of a subscription', () => {
  test('count each attempt as soon as it is recorded, up to the dead letter', async () => {
    const of = await fixture.companyWith(1);
    expect(await totalsOf(of)).toEqual({ delivered: 0, failed: 0, deadLettered: 0 });
    for (let failed = 1; failed <= 8; failed += 1) {
      await handle(attempted(of.deliveryId, { outcome: FAILED }));
      expect(await totalsOf(of)).toEqual({ delivered: 0, failed, deadLettered: failed === 8 ? 1 : 0 });
    }
  });

  test('count a result once, however often it arrives, also within one batch and after the delivery has finished [CONSOLE-6]', async () => {
    const of = await fixture.companyWith(1);
    const failure = attempted(of.deliveryId, { outcome: FAILED });
    const success = attempted(of.deliveryId);
    await together(failure, failure, success, success);
    await together(failure, success);
    await handle(success);
    expect(await totalsOf(of)).toEqual({ delivered: 1, failed: 1, deadLettered: 0 });
  });

  test('count results of finished deliveries, and keep the dead letter that one of them reverts [CONSOLE-6]', async () => {
    const of = await fixture.companyWith(1);
    for (let n = 0; n < 8; n += 1) await handle(attempted(of.deliveryId, { outcome: FAILED }));
    const [late, success] = [attempted(of.deliveryId, { outcome: FAILED }), attempted(of.deliveryId)];
    await together(late, late, success, success);
    await together(late, success);
    expect(await fixture.delivery(of.deliveryId)).toMatchObject({ state: 'delivered' });
    expect(await totalsOf(of)).toEqual({ delivered: 1, failed: 9, deadLettered: 1 });
  });

  test('count no dead letter that a result of the same batch delivers', async () => {
    const of = await fixture.companyWith(1);
    for (let n = 0; n < 7; n += 1) await handle(attempted(of.deliveryId, { outcome: FAILED }));
    await together(attempted(of.deliveryId, { outcome: FAILED }), attempted(of.deliveryId));
    expect(await totalsOf(of)).toEqual({ delivered: 1, failed: 8, deadLettered: 0 });
    expect(await fixture.delivery(of.deliveryId)).toMatchObject({ state: 'delivered', attempts: 8 });
  });

  test('exclude tests, before and after they finish, and attempts of deliveries that no longer exist [CONSOLE-6]', async () => {
    const of = await fixture.companyWith(2);
    const [testId, ordinaryId] = of.ids;
    invariant(testId !== undefined && ordinaryId !== undefined, 'there are two deliveries');
    await fixture.set('deliveries', testId, 'is_test = true');
    await together(attempted(testId, { outcome: FAILED }), attempted(ordinaryId, { outcome: FAILED }));
    await handle(attempted(testId));
    await handle(attempted(testId, { outcome: FAILED }));
    await handle(attempted(newId('dlv')));
    expect(await totalsOf(of)).toEqual({ delivered: 0, failed: 1, deadLettered: 0 });
  });

  test('add up over concurrent batches of replicas for the same subscriptions', async () => {
    const companies = await Promise.all([
      fixture.companyWith(30),
      fixture.companyWith(30),
      fixture.companyWith(30),
    ]);
    const replicas = [1, 2, 3].map(() => handlerWith(fixture.database));
    const messages = companies.flatMap(({ ids }) => ids).map((id) => attempted(id));
    const shuffled = [messages, [...messages].reverse(), [...messages.slice(45), ...messages.slice(0, 45)]];
    await Promise.all(
      replicas.flatMap((replica, index) => (shuffled[index] ?? []).map((message) => replica(message))),
    );
    for (const of of companies) {
      expect(await totalsOf(of)).toEqual({ delivered: 30, failed: 0, deadLettered: 0 });
    }
  });

  test('are locked by the last statement before the commit', async () => {
    const of = await fixture.companyWith(2);
    const [firstId, secondId] = of.ids;
    invariant(firstId !== undefined && secondId !== undefined, 'there are two deliveries');
    const [written, commit] = [createGate(), createGate()];
    const statements: string[] = [];
    const heldBack = handlerWith({
      transaction: (work) =>
        fixture.database.transaction(async (tx) => {
          const query: typeof tx.query = (text, values) => {
            statements.push(textOf(text));
            return tx.query(text, values);
          };
          const result = await work({ ...tx, query });
          await tx.query('select 1');
          written.open();
          await commit.opened;
          return result;
        }),
    });
    const first = heldBack(attempted(firstId));
    await written.opened;
    const second = handle(attempted(secondId));
    commit.open();
    await Promise.all([first, second]);
    expect(statements.at(-1)).toContain('insert into delivery_statistics');
    expect(statements.filter((text) => text.includes('delivery_statistics'))).toHaveLength(1);
    expect(await totalsOf(of)).toEqual({ delivered: 2, failed: 0, deadLettered: 0 });
  });

  test('are locked in ascending order, so that two batches never deadlock', async () => {
    const attemptTo = (subscriptionId: string) => ({
      subscriptionId,
      isTest: false,
      startedAt: new Date('2026-03-06T10:00:00Z'),
      durationMs: 12,
      isDelivered: true,
      isDeadLetter: false,
    });
    const [lower, higher] = [attemptTo('whk_1'), attemptTo('whk_2')];
    const [locked, commit] = [createGate(), createGate()];
    const { database } = fixture;
    const first = database.transaction(async (tx) => {
      countAttempts(tx, [lower]);
      await tx.query('select 1');
      locked.open();
      await commit.opened;
    });
    await locked.opened;
    const second = database.transaction((tx) => countAttempts(tx, [higher, lower]));
    await untilLockWaits(database);
    const third = database.transaction((tx) => countAttempts(tx, [higher]), { lockTimeoutMs: 2_000 });
    const [end] = await Promise.allSettled([third]);
    commit.open();
    await Promise.all([first, second]);
    expect(end).toMatchObject({ status: 'fulfilled' });
  });
});

describe('the buckets of statistics', () => {
  /** A Thursday, far enough in the past that no other data is there. */
  const at = (time: string) => new Date(`2026-03-05T${time}Z`);

  async function bucketsOf(of: { companyId: string; subscriptionId: string }, from: Date, to: Date) {
    const { bucketMinutes, buckets, totals } = await client.getSubscriptionStatistics(of, span(from, to));
    return {
      bucketMinutes,
      buckets: buckets.map(({ startsAt, ...counts }) => ({
        startsAt: startsAt.slice(5, 16),
        ...plain(counts),
      })),
      totals: plain(totals),
    };
  }

  async function companyWithHistory() {
    const of = await fixture.companyWith(6);
    const times = [
      '10:00:00.000',
      '10:04:59.999',
      '10:05:00.000',
      '11:59:59.999',
      '12:00:00.000',
      '17:59:00.000',
    ];
    await together(
      ...of.ids.map((id, index) =>
        attempted(id, { startedAt: at(times[index] ?? ''), ...(index === 2 && { outcome: FAILED }) }),
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
    expect(await bucketsOf(of, at('00:00:00'), new Date(at('00:00:00').getTime() + DAY_MS))).toEqual({
      bucketMinutes: 5,
      buckets: [
        bucket('10:00', 2),
        bucket('10:05', 0, 1),
        bucket('11:55', 1),
        bucket('12:00', 1),
        bucket('17:55', 1),
      ],
      totals,
    });
    expect(await bucketsOf(of, at('00:00:00'), new Date(at('00:00:00').getTime() + 7 * DAY_MS))).toEqual({
      bucketMinutes: 60,
      buckets: [bucket('10:00', 2, 1), bucket('11:00', 1), bucket('12:00', 1), bucket('17:00', 1)],
      totals,
    });
    expect(await bucketsOf(of, at('00:00:00'), new Date(at('00:00:00').getTime() + 31 * DAY_MS))).toEqual({
      bucketMinutes: 360,
      buckets: [bucket('06:00', 3, 1), bucket('12:00', 2)],
      totals,
    });
  });

  test('count completely, also the first and the last one of the span, and no others', async () => {
    const of = await companyWithHistory();
    expect(await bucketsOf(of, at('10:04:30'), at('10:05:00'))).toMatchObject({
      buckets: [bucket('10:00', 2)],
      totals: { delivered: 2, failed: 0 },
    });
    expect(await bucketsOf(of, at('10:05:00'), at('11:55:00.001'))).toMatchObject({
      buckets: [bucket('10:05', 0, 1), bucket('11:55', 1)],
    });
  });

  test("count an attempt as begun now if the dispatcher's clock is ahead [CONSOLE-6]", async () => {
    const of = await fixture.companyWith(2);
    const [ahead, present] = of.ids;
    invariant(ahead !== undefined && present !== undefined, 'there are two deliveries');
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
    const found = await client.getSubscriptionStatistics(of, span(at('10:00:00'), at('11:00:00')));
    expect(found.buckets.map(({ p50Ms, p95Ms }) => [p50Ms, p95Ms])).toEqual([
      [13, 24],
      [400, 490],
    ]);
    expect([found.totals.p50Ms, found.totals.p95Ms]).toEqual([25, 480]);
    const { totals } = await client.getSubscriptionStatistics(of, span(at('01:00:00'), at('02:00:00')));
    expect(totals).toMatchObject({ attempts: 0, delivered: 0, failed: 0, p50Ms: null, p95Ms: null });
  });
});
