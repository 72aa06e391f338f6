import { expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { invariant } from '@partner/kernel/process/invariant';
import type { QueryResultRow } from 'pg';
import { Registry } from 'prom-client';
import type { Database, Transaction } from '../../database/database.js';
import { claimAll } from '../../testing/claim-all.js';
import { createGate } from '../../testing/create-gate.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import { createAttemptMetrics } from './attempt-metrics.js';
import { decodeDeliveriesAttempted } from './decode-deliveries-attempted.js';
import { recordAttempts } from './record-attempts.js';
import { fixture } from '../../testing/file-webhooks.js';

/** A degraded subscription with a dead letter and a leased delivery. */
async function degraded() {
  const { companyId, subscriptionId } = await fixture.companyWith(0);
  await fixture.event(companyId);
  await fixture.event(companyId);
  await claimAll(fixture.database, {
    batchSize: 100,
    leaseSeconds: 30,
    inFlight: 1_000,
    subscriptionCap: 100,
  });
  const [dead, leased] = await fixture.deliveriesOf(subscriptionId);
  invariant(dead !== undefined && leased !== undefined, 'both events have deliveries');
  await fixture.finish('dead_lettered', dead.id);
  await fixture.set('subscriptions', subscriptionId, `health = 'degraded'`);
  return { subscriptionId, dead, leased };
}

function record(
  database: Pick<Database, 'transaction'>,
  ...attempts: readonly Parameters<typeof attemptedMessage>[0][]
): Promise<void> {
  return recordAttempts(
    {
      database,
      logger: { warn: () => undefined },
      metrics: createAttemptMetrics(new Registry()),
      retry: { baseMs: 60_000, random: () => 0 },
    },
    attempts.flatMap((attempt) => decodeDeliveriesAttempted(attemptedMessage(attempt).body).results),
  );
}

test('late successes and settlements of two batches lock the same subscriptions in one order', async () => {
  const [one, two] = [await degraded(), await degraded()];
  const both = createGate();
  let arrived = 0;
  // Each batch waits for the other one once it has recorded its late success.
  const meeting = (tx: Transaction): Transaction => ({
    ...tx,
    async query<Row extends QueryResultRow>(...[statement, values]: Parameters<Transaction['query']>) {
      const rows = await tx.query<Row>(statement, values);
      const text = typeof statement === 'string' ? statement : statement.text;
      if (text.includes('update finished_deliveries')) {
        arrived += 1;
        if (arrived === 2) both.open();
        await both.opened;
      }
      return rows;
    },
  });
  const database: Pick<Database, 'transaction'> = {
    transaction: (work) => fixture.database.transaction((tx) => work(meeting(tx))),
  };
  const ends = await Promise.allSettled(
    [
      { late: one, settled: two },
      { late: two, settled: one },
    ].map(({ late, settled }) =>
      record(
        database,
        { deliveryId: late.dead.id, leaseId: 'former' },
        { deliveryId: settled.leased.id, leaseId: settled.leased.lease_id },
      ),
    ),
  );
  expect(ends).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
  for (const { subscriptionId, dead, leased } of [one, two]) {
    expect(await fixture.health(subscriptionId)).toBe('healthy');
    expect(await fixture.delivery(dead.id)).toMatchObject({ state: 'delivered' });
    expect(await fixture.delivery(leased.id)).toMatchObject({ state: 'delivered' });
  }
});

test('counts a failure in the batch of a late success from the success on', async () => {
  const { subscriptionId, dead, leased } = await degraded();
  await fixture.set('subscriptions', subscriptionId, 'failures_in_row = 5');
  await record(
    fixture.database,
    { deliveryId: dead.id, leaseId: 'former' },
    { deliveryId: leased.id, leaseId: leased.lease_id, outcome: AttemptOutcome.TIMED_OUT },
  );
  const { health, failures_in_row: failures } = await fixture.row('subscriptions', subscriptionId);
  expect({ health, failures }).toEqual({ health: 'healthy', failures: 1 });
});
