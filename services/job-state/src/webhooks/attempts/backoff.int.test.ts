import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import { claimAll } from '../../testing/claim-all.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import { createDeliveryResultsHandler } from './delivery-results.js';
import { subscriptionCapOf } from '../deliveries/claim-rule.js';
import { fixture } from '../../testing/file-webhooks.js';

const DELIVERIES = 200;
const IN_FLIGHT = 500;
const CAP = subscriptionCapOf(IN_FLIGHT);
const BASE_MS = 60_000;
const JITTER = 0.1;

/** Lets time pass for all deliveries. The database's clock cannot be set, so their times move into the past. */
async function pass(milliseconds: number): Promise<void> {
  await fixture.database.query(
    `update deliveries set next_attempt_at = next_attempt_at - make_interval(secs => $1::double precision / 1000)`,
    [milliseconds],
  );
}

async function clock(): Promise<number> {
  const [row] = await fixture.database.query<{ now: Date }>('select clock_timestamp() as now');
  invariant(row, 'the database has a clock');
  return row.now.getTime();
}

/** Milliseconds until the next attempt is due; negative if one waits for a slot. */
async function untilNextMs(): Promise<number> {
  const [row] = await fixture.database.query<{ ms: number }>(
    `select (extract(epoch from min(next_attempt_at) - now()) * 1000)::double precision as ms
     from deliveries where lease_id is null`,
  );
  invariant(row, 'an aggregate returns a row');
  return row.ms;
}

async function countDue(): Promise<number> {
  const due = await fixture.database.query(
    'select from deliveries where lease_id is null and next_attempt_at <= now()',
  );
  return due.length;
}

/** Runs every delivery of an endpoint through its failing attempts, each of the given duration, while `pass` advances time. */
async function expectScheduleKept(durationMs: number): Promise<void> {
  const { subscriptionId } = await fixture.companyWith(DELIVERIES);
  let jitter = 0;
  const handle = createDeliveryResultsHandler({
    database: fixture.database,
    logger: silentLogger,
    metrics: new Registry(),
    retryBaseMs: BASE_MS,
    random: () => (jitter = (jitter + 0.37) % 1),
  });

  const fail = async (attempts: readonly LeasedDelivery[]) => {
    const before = await clock();
    await Promise.all(
      attempts.map(({ id, leaseId, attempt }) =>
        handle(
          attemptedMessage({
            deliveryId: id,
            leaseId,
            number: attempt,
            durationMs,
            outcome: AttemptOutcome.REJECTED,
          }),
        ),
      ),
    );
    const after = await clock();
    const stored = new Map((await fixture.deliveriesOf(subscriptionId)).map((row) => [row.id, row] as const));
    for (const { id, attempt } of attempts) {
      const delivery = stored.get(id);
      expect(delivery).toMatchObject({ attempts: attempt });
      if (attempt === LIMITS.webhookAttempts) {
        expect(delivery).toMatchObject({ state: 'dead_lettered' });
        continue;
      }
      const backoffMs = BASE_MS * 2 ** (attempt - 1);
      const due = delivery?.next_attempt_at?.getTime() ?? 0;
      expect(due).toBeGreaterThanOrEqual(before + backoffMs);
      expect(due).toBeLessThanOrEqual(after + 1 + backoffMs * (1 + JITTER));
    }
  };

  let made = 0;
  while (made < DELIVERIES * LIMITS.webhookAttempts) {
    // Rounded up, so that attempts due moments apart are made together.
    await pass(Math.max(0, Math.ceil((await untilNextMs()) / 10_000) * 10_000));
    const due = await countDue();
    expect(due).toBeGreaterThan(0);
    const claimed = await claimAll(fixture.database, {
      batchSize: 100,
      leaseSeconds: 3_600,
      inFlight: IN_FLIGHT,
      subscriptionCap: CAP,
    });
    // A due attempt only waits for a free slot of its endpoint.
    expect(claimed.length).toBeGreaterThanOrEqual(Math.min(due, CAP));
    await pass(durationMs);
    await fail(claimed);
    made += claimed.length;
  }
  expect(made).toBe(DELIVERIES * LIMITS.webhookAttempts);
}

describe('the retries of a failing endpoint keep their schedule within its slots', () => {
  test('when it responds with 503 at once [DELIVERY-16]', async () => {
    await expectScheduleKept(0);
  });

  test('when it hangs for 10 s [DELIVERY-16, DELIVERY-17]', async () => {
    await expectScheduleKept(LIMITS.webhookTimeoutMs);
  });
});
