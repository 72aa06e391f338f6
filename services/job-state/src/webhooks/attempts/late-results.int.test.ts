import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { fc } from '@partner/test-kit/fast-check';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import type { Database } from '../../database/database.js';
import { beforeStatement } from '../../testing/before-statement.js';
import { createGate } from '../../testing/create-gate.js';
import { endExpiredLeases } from '../schedule/claim-due.js';
import { createAttemptMetrics } from './attempt-metrics.js';
import { decodeDeliveriesAttempted } from './decode-deliveries-attempted.js';
import { recordAttempts } from './record-attempts.js';
import type { StoredDelivery } from '../../testing/webhook-fixture.js';
import { fixture } from '../../testing/file-webhooks.js';
import { attempted, attemptsOf, claimed, fail, FAILED, handle, lease } from '../testing/results-fixture.js';

describe('a result under a former lease', () => {
  test('counts a failure under a former lease and leaves the current lease to its own attempt', async () => {
    const former = await claimed();
    const present = await lease(former.id);
    await fail(former.id, { leaseId: former.lease_id });
    // The lease ends at its original time, but the delivery is not due before the backoff of the counted attempt.
    const { lease_id, next_attempt_at } = present;
    const retried = { state: 'retry_scheduled', attempts: 1, finished_at: null };
    expect(await fixture.delivery(former.id)).toMatchObject({ ...retried, lease_id, next_attempt_at });
    await fixture.makeDue(former.id);
    await endExpiredLeases(fixture.database);
    expect(await fixture.overdueSince(former.id)).toBeNull();
    expect(Math.ceil(((await fixture.delivery(former.id)).wait_ms ?? 0) / 60_000)).toBe(1);
    await fixture.set('deliveries', former.id, `lease_id = '${present.lease_id}'`);
    await fail(former.id, { leaseId: present.lease_id });
    const after = await fixture.delivery(former.id);
    expect(after).toMatchObject({ state: 'retry_scheduled', attempts: 2, lease_id: null });
    expect(Math.ceil((after.wait_ms ?? 0) / 60_000)).toBe(2);
    expect(await attemptsOf(former.id)).toHaveLength(2);
  });

  test('never moves an attempt forward because of a late failure', async () => {
    const delivery = await claimed();
    await fail(delivery.id, { leaseId: delivery.lease_id, retryAfterSeconds: 3_600 });
    const scheduled = await fixture.delivery(delivery.id);
    await fail(delivery.id);
    const { next_attempt_at } = scheduled;
    const unchanged = { state: 'retry_scheduled', attempts: 2, next_attempt_at };
    expect(await fixture.delivery(delivery.id)).toMatchObject(unchanged);
  });

  test('dead-letters a delivery after 8 failures, late or not, and keeps held deliveries held', async () => {
    const { id, subscription_id: subscriptionId, lease_id: leaseId } = await claimed();
    await fixture.setState(subscriptionId, 'paused');
    await fail(id);
    await fail(id, { leaseId });
    const retried = { state: 'retry_scheduled', attempts: 2, lease_id: null };
    expect(await fixture.delivery(id)).toMatchObject(retried);
    await fixture.set('deliveries', id, `state = 'held'`);
    for (let attempts = 3; attempts < 8; attempts += 1) await fail(id);
    expect(await fixture.delivery(id)).toMatchObject({ state: 'held', attempts: 7 });
    await fail(id);
    const dead = await fixture.delivery(id);
    expect(dead).toMatchObject({ state: 'dead_lettered', attempts: 8, next_attempt_at: null });
    await fail(id);
    expect(await fixture.delivery(id)).toEqual(dead);
    expect(await attemptsOf(id)).toHaveLength(9);
  });

  test('has the same outcome for any order and leases of the results, one by one or batched', async () => {
    const [isPresent, isAlone, isLeasedBefore] = [fc.boolean(), fc.boolean(), fc.boolean()];
    const isSuccess = fc.nat({ max: 6 }).map((of) => of === 6);
    const result = fc.record({ isPresent, isSuccess, isAlone, isLeasedBefore });
    await fc.assert(
      fc.asyncProperty(fc.array(result, { minLength: 1, maxLength: 12 }), async (results) => {
        let delivery: StoredDelivery = await claimed();
        const running: Promise<unknown>[] = [];
        for (const { isPresent, isSuccess, isAlone, isLeasedBefore } of results) {
          if (isLeasedBefore) {
            await Promise.all(running);
            delivery = await fixture.delivery(delivery.id);
            if (delivery.finished_at === null) delivery = await lease(delivery.id);
          }
          const leaseId = isPresent ? delivery.lease_id : 'former';
          const outcome = isSuccess ? AttemptOutcome.DELIVERED : FAILED;
          running.push(handle(attempted(delivery.id, { leaseId, outcome })));
          if (!isAlone) continue;
          await Promise.all(running);
          delivery = await fixture.delivery(delivery.id);
        }
        await Promise.all(running);

        const success = results.findIndex(({ isSuccess }) => isSuccess);
        const failures = success === -1 ? results.length : success;
        const end = await fixture.delivery(delivery.id);
        expect(await attemptsOf(delivery.id)).toHaveLength(results.length);
        expect({ state: end.state, attempts: end.attempts }).toEqual(
          success !== -1
            ? { state: 'delivered', attempts: Math.min(8, failures + 1) }
            : failures >= 8
              ? { state: 'dead_lettered', attempts: 8 }
              : { state: 'retry_scheduled', attempts: failures },
        );
        if (end.state !== 'retry_scheduled') return;
        // The delivery is not due before the backoff of the counted attempts, also if the current lease ends without a result.
        if (end.lease_id !== null) await fixture.makeDue(end.id);
        await endExpiredLeases(fixture.database);
        const { wait_ms: backoffMs } = await fixture.delivery(end.id);
        expect(backoffMs).toBeGreaterThan(60_000 * 2 ** (failures - 1) - 30_000);
      }),
      { numRuns: 40 },
    );
  });
});

test.each(['in progress', 'finished'])(
  'an attempt that began before an erasure is recorded without its response: the erasure is %s [PERSON-8]',
  async (standing) => {
    const [customer, company, other] = [await claimed(), await claimed(), await claimed()];
    const responsesOf = async (id: string) =>
      fixture.database.query(
        `select response_headers is not null or response_body is not null as response, error, remote_address as address
         from delivery_attempts where delivery_id = $1`,
        [id],
      );
    const subjects = [{ jobs: [customer.resource_id] }, { companyId: company.company_id }];
    for (const subject of subjects) {
      await fixture.database.query(
        `insert into erasures (id, subject, operator, requested_at, finished_at) values ($1, $2, 'olga', now(), $3)`,
        [newId('ers'), JSON.stringify(subject), standing === 'finished' ? new Date() : null],
      );
    }
    const wanted = [
      { delivery: customer, kept: { response: false, error: 'reset', address: '192.0.2.1' } },
      { delivery: company, kept: { response: false, error: null, address: null } },
      { delivery: other, kept: { response: true, error: 'reset', address: '192.0.2.1' } },
    ];
    for (const { delivery, kept } of wanted) {
      // The second one is late: the delivery is finished.
      for (let result = 0; result < 2; result += 1) {
        await handle(attempted(delivery.id, { error: 'reset', remoteAddress: '192.0.2.1' }));
      }
      expect(await responsesOf(delivery.id)).toEqual([kept, kept]);
    }
    await handle(attempted(customer.id, { startedAt: new Date(Date.now() + 120_000) }));
    const last = (await responsesOf(customer.id)).filter(({ response }) => response === true);
    expect(last).toHaveLength(standing === 'finished' ? 1 : 0);
  },
);

describe('the batch of a late success', () => {
  /** A degraded subscription with a dead letter and a pending delivery. */
  async function degraded() {
    const { subscriptionId, ids } = await fixture.companyWith(2);
    const [dead, pending] = ids;
    await fixture.finish('dead_lettered', dead);
    await fixture.set('subscriptions', subscriptionId, `health = 'degraded', failures_in_row = 5`);
    return { subscriptionId, dead, pending };
  }

  const record = (database: Pick<Database, 'transaction'>, ...results: readonly IncomingMessage[]) =>
    recordAttempts(
      {
        database,
        logger: silentLogger,
        metrics: createAttemptMetrics(new Registry()),
        retry: { baseMs: 60_000, random: () => 0 },
      },
      results.flatMap(({ body }) => decodeDeliveriesAttempted(body).results),
    );

  test('locks its subscriptions in the order of the settlements of another batch', async () => {
    const [one, two] = [await degraded(), await degraded()];
    const both = createGate();
    let arrived = 0;
    // Each batch waits for the other one before it writes its settlements, once it has recorded its late success.
    const database = beforeStatement(fixture.database, async (text) => {
      if (!text.includes('delete from deliveries')) return;
      arrived += 1;
      if (arrived === 2) both.open();
      await both.opened;
    });
    await Promise.all([
      record(database, attempted(one.dead), attempted(two.pending)),
      record(database, attempted(two.dead), attempted(one.pending)),
    ]);
    for (const { subscriptionId, dead, pending } of [one, two]) {
      expect(await fixture.health(subscriptionId)).toBe('healthy');
      for (const id of [dead, pending]) expect((await fixture.delivery(id)).state).toBe('delivered');
    }
  });

  test('counts a failure from the success on', async () => {
    const { subscriptionId, dead, pending } = await degraded();
    await record(fixture.database, attempted(dead), attempted(pending, { outcome: FAILED }));
    const { health, failures_in_row: failures } = await fixture.row('subscriptions', subscriptionId);
    expect({ health, failures }).toEqual({ health: 'healthy', failures: 1 });
  });
});
