import { beforeAll } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { ShownAttemptCounts } from '@partner/proto-contracts/resources/statistics/statistics';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import { claimAll } from '../../testing/claim-all.js';
import { fixture } from '../../testing/file-webhooks.js';
import { connectDeliveries } from '../../testing/public-deliveries.js';
import { attemptedMessage, resultsHandler, type StoredDelivery } from '../../testing/webhook-fixture.js';
import { endExpiredLeases } from '../schedule/claim-due.js';

export { fixture };

export const FAILED = AttemptOutcome.TIMED_OUT;
export const DAY_MS = 24 * 3_600_000;

export const warnings: unknown[][] = [];
export const registry = new Registry();
export let handle: ReturnType<typeof resultsHandler>;
export let client: ReturnType<typeof connectDeliveries>;

beforeAll(() => {
  const logger = { warn: (...line: unknown[]) => void warnings.push(line) };
  handle = resultsHandler(fixture.database, { metrics: registry, logger });
  client = connectDeliveries({ database: fixture.database, logger: silentLogger });
});

/** A leased delivery of a separate company. */
export const claimed = async () => lease((await fixture.companyWith(1)).deliveryId);

export async function lease(id: string): Promise<StoredDelivery & { lease_id: string }> {
  await fixture.makeDue(id);
  await endExpiredLeases(fixture.database);
  await fixture.makeDue(id);
  await claimAll(fixture.database);
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

type Attempted = Partial<Parameters<typeof attemptedMessage>[0]>;

/** A result under a former lease, unless it names one. */
export const attempted = (deliveryId: string, given: Attempted = {}) =>
  attemptedMessage({ deliveryId, leaseId: 'former', ...given });

/** Handles the result of a failed attempt. */
export const fail = (deliveryId: string, given: Attempted = {}) =>
  handle(attempted(deliveryId, { outcome: FAILED, ...given }));

/** Makes results share a batch: the first one occupies the handler and has no delivery. */
export async function together(...messages: ReturnType<typeof attempted>[]): Promise<void> {
  await Promise.all([attempted(newId('dlv')), ...messages].map((message) => handle(message)));
}

export const lastDay = () => ({ from: new Date(Date.now() - DAY_MS / 2), to: new Date() });

export function plain({
  delivered,
  failed,
  deadLettered,
}: Pick<ShownAttemptCounts, 'delivered' | 'failed' | 'deadLettered'>) {
  return { delivered, failed, deadLettered };
}

export async function totalsOf(of: { companyId: string; subscriptionId: string }) {
  const { totals } = await client.getSubscriptionStatistics(of, lastDay());
  return plain(totals);
}
