import { beforeAll } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { Registry } from 'prom-client';
import { CLAIM_LIMITS } from '../../testing/claim-all.js';
import { attemptedMessage, resultsHandler, type StoredDelivery } from '../../testing/webhook-fixture.js';
import { claimDue, endExpiredLeases } from '../schedule/claim-due.js';
import { client, fixture } from './delivery-fixture.js';

export { client, fixture };

export const FAILED = AttemptOutcome.TIMED_OUT;

export const warnings: unknown[][] = [];
export const registry = new Registry();
export let handle: ReturnType<typeof resultsHandler>;

beforeAll(() => {
  const logger = { warn: (...line: unknown[]) => void warnings.push(line) };
  handle = resultsHandler(fixture.database, { metrics: registry, logger });
});

/** A leased delivery of a separate company. */
export const claimed = async () => lease((await fixture.companyWith(1)).deliveryId);

export async function lease(id: string): Promise<StoredDelivery & { lease_id: string }> {
  const { lease_id: former, subscription_id } = await fixture.delivery(id);
  await fixture.makeDue(id);
  if (former !== null) {
    await endExpiredLeases(fixture.database);
    await fixture.makeDue(id);
  }
  // Of its subscription alone: the claim of all would take most of the time.
  await claimDue(fixture.database, { ...CLAIM_LIMITS, subscriptionIds: [subscription_id] });
  const { lease_id, ...delivery } = await fixture.delivery(id);
  invariant(lease_id, 'the delivery is leased');
  return { ...delivery, lease_id };
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

export const fail = (deliveryId: string, given: Attempted = {}) =>
  handle(attempted(deliveryId, { outcome: FAILED, ...given }));

/** Makes results share a batch: the first one occupies the handler and has no delivery. */
export async function together(...messages: ReturnType<typeof attempted>[]): Promise<void> {
  await Promise.all([attempted(newId('dlv')), ...messages].map((message) => handle(message)));
}
