import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Database } from '../database/database.js';
import { claimAll } from './claim-all.js';
import type { ClaimLimits } from '../webhooks/schedule/claim-due.js';
import type { SubscriptionOfCompany } from '../webhooks/subscriptions/get-subscription.js';
import { endpointsOver } from '../webhooks/subscriptions/check-endpoint.js';
import type { SubscriptionDeps } from '../webhooks/subscriptions/subscription-operations.js';
import { connectSubscriptions, type PublicSubscriptions } from './public-clients.js';
import { createStubDispatcher } from './stub-dispatcher.js';
import { attemptedMessage, openWebhookFixture, resultsHandler } from './webhook-fixture.js';
import { TEST_SEALING_KEYS } from './test-sealing-keys.js';

/** A separate database with the subscription service, as the console and the dispatcher use it. */
export type SubscriptionFixture = Awaited<ReturnType<typeof openSubscriptionFixture>>;

/** Returns the error of a call. Throws if the call succeeds. */
export async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  return call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (thrown: unknown) => ServiceError.from(thrown),
  );
}

/** Creates the database and the service. Call `close` at the end. */
export async function openSubscriptionFixture() {
  const fixture = await openWebhookFixture();
  /** Fields and message of each log line. */
  const logLines: unknown[][] = [];
  const dispatcher = createStubDispatcher();
  const deps: SubscriptionDeps = {
    database: fixture.database,
    endpoints: endpointsOver(dispatcher),
    sealingKeys: TEST_SEALING_KEYS,
    signingKeys: TEST_SEALING_KEYS,
    secretOverlapHours: 24,
    logger: { info: (...line: unknown[]) => void logLines.push(line) },
    clock: () => self.now,
  };
  /** A service with some dependencies replaced. */
  const clientWith = (parts: Partial<SubscriptionDeps>): PublicSubscriptions =>
    connectSubscriptions({ ...deps, ...parts });
  const client = clientWith({});
  const handle = resultsHandler(fixture.database);
  /** Claims all due deliveries, as the scheduler does. */
  const claim = (limits?: Partial<ClaimLimits>) => claimAll(fixture.database, limits);

  /** Creates a subscription to all installation events. */
  async function created(companyId: string): Promise<SubscriptionOfCompany> {
    const webhook = { url: 'https://receiver.example/hooks', events: ['install.*'] };
    const { subscription } = await client.createSubscription({ companyId, ...webhook });
    return { companyId, subscriptionId: subscription.id };
  }

  /** Sends a test, and reports the outcome of its attempt as the dispatcher does. */
  async function tested(of: SubscriptionOfCompany, outcome = AttemptOutcome.DELIVERED, urlVersion = 1) {
    const { id: deliveryId } = await client.sendTestDelivery(of);
    const claimed = (await claim()).find(({ id }) => id === deliveryId);
    invariant(claimed, 'the test is due, also while the subscription is paused');
    await handle(attemptedMessage({ deliveryId, leaseId: claimed.leaseId, outcome, urlVersion }));
    return deliveryId;
  }

  /** Creates a subscription that is verified and active. */
  async function activated(companyId: string) {
    const subscription = await created(companyId);
    await tested(subscription);
    await client.activateSubscription(subscription);
    return subscription;
  }

  const self = {
    ...fixture,
    ...{ client, clientWith, deps, dispatcher, logLines, handle, claim, created, tested, activated },
    /** The current time of the clock. */
    now: new Date('2026-08-26T14:03:00Z'),
  };
  return self;
}

/** A database that reports the limits of each transaction before it runs. */
export function watchTransactions(
  database: Pick<Database, 'query' | 'transaction'>,
  tell: (limits: Parameters<Database['transaction']>[1]) => void,
): Pick<Database, 'query' | 'transaction'> {
  return {
    query: (text, values, limits) => database.query(text, values, limits),
    transaction: (work, limits) => {
      tell(limits);
      return database.transaction(work, limits);
    },
  };
}
