import { beforeAll } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { ShownAttemptCounts } from '@partner/proto-contracts/resources/statistics/statistics';
import { newId } from '@partner/kernel/process/ids';
import { Registry } from 'prom-client';
import { type Database } from '../../database/database.js';
import { createDeliveryResultsHandler } from '../attempts/delivery-results.js';
import { connectDeliveries } from '../../testing/public-deliveries.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import { fixture } from '../../testing/file-webhooks.js';

export { fixture };

export const FAILED = AttemptOutcome.TIMED_OUT;
export const DAY_MS = 24 * 3_600_000;

export let handle: ReturnType<typeof createDeliveryResultsHandler>;
export let client: ReturnType<typeof connectDeliveries>;

export function handlerWith(database: Pick<Database, 'transaction'>) {
  return createDeliveryResultsHandler({
    database,
    logger: { warn: () => undefined },
    metrics: new Registry(),
    retryBaseMs: 60_000,
    random: () => 0,
  });
}

beforeAll(async () => {
  handle = handlerWith(fixture.database);
  client = connectDeliveries({ database: fixture.database, logger: { info: () => undefined } });
});

type Attempted = Partial<Parameters<typeof attemptedMessage>[0]>;

export const attempted = (deliveryId: string, given: Attempted = {}) =>
  attemptedMessage({ deliveryId, leaseId: 'former', ...given });

/** Makes results share a batch: the first one occupies the handler and has no delivery. */
export async function together(...messages: ReturnType<typeof attempted>[]): Promise<void> {
  await Promise.all([attempted(newId('dlv')), ...messages].map((message) => handle(message)));
}

export const span = (from: Date, to: Date) => ({ from, to });
export const lastDay = () => span(new Date(Date.now() - DAY_MS / 2), new Date());

export function plain({ delivered, failed, deadLettered }: Omit<ShownAttemptCounts, 'attempts'>) {
  return { delivered, failed, deadLettered };
}

export async function totalsOf(of: { companyId: string; subscriptionId: string }) {
  const { totals } = await client.getSubscriptionStatistics(of, lastDay());
  return plain(totals);
}
