import { beforeAll } from '@jest/globals';
import { invariant } from '@partner/kernel/process/invariant';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { Registry } from 'prom-client';
import { createDeliveryResultsHandler } from '../delivery-results.js';
import { endExpiredLeases } from '../../schedule/claim-due.js';
import type { Database } from '../../../database/database.js';
import { claimAll } from '../../../testing/claim-all.js';
import { type StoredDelivery } from '../../../testing/webhook-fixture.js';
import { fixture } from '../../../testing/file-webhooks.js';

export { fixture };

export const LIMITS = { batchSize: 100, leaseSeconds: 30, inFlight: 1_000, subscriptionCap: 100 };
export const FAILED = AttemptOutcome.TIMED_OUT;

export const warnings: unknown[][] = [];
export const registry = new Registry();
export let handle: ReturnType<typeof createDeliveryResultsHandler>;

beforeAll(async () => {
  handle = handlerWith(fixture.database, registry);
});

export async function claimed(
  options: { isTest?: boolean } = {},
): Promise<StoredDelivery & { lease_id: string }> {
  const { deliveryId } = await fixture.companyWith(1);
  if (options.isTest === true) await fixture.set('deliveries', deliveryId, 'is_test = true');
  return lease(deliveryId);
}

export async function lease(id: string): Promise<StoredDelivery & { lease_id: string }> {
  await fixture.makeDue(id);
  await endExpiredLeases(fixture.database);
  await fixture.makeDue(id);
  await claimAll(fixture.database, LIMITS);
  const delivery = await fixture.delivery(id);
  invariant(delivery.lease_id, 'the delivery is leased');
  return { ...delivery, lease_id: delivery.lease_id };
}

export async function attemptsOf(deliveryId: string) {
  return fixture.database.query<{ id: string; number: number; outcome: string; response_headers: unknown }>(
    'select id, number, outcome, response_headers from delivery_attempts where delivery_id = $1 order by started_at, id',
    [deliveryId],
  );
}

/** A handler with another database. */
export function handlerWith(
  database: Pick<Database, 'transaction'>,
  metrics = new Registry(),
): ReturnType<typeof createDeliveryResultsHandler> {
  return createDeliveryResultsHandler({
    database,
    logger: { warn: (...line: unknown[]) => void warnings.push(line) },
    metrics,
    retryBaseMs: 60_000,
    random: () => 0,
  });
}
