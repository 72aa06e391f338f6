import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Database } from '../database/database.js';
import type { LeasedDelivery } from '../webhooks/deliveries/leased-delivery.js';
import { claimAll } from './claim-all.js';
import type { ClaimLimits } from '../webhooks/schedule/claim-due.js';
import type { SubscriptionOfCompany } from '../webhooks/subscriptions/get-subscription.js';
import { endpointsOver } from '../webhooks/subscriptions/check-endpoint.js';
import type { SubscriptionDeps } from '../webhooks/subscriptions/subscription-operations.js';
import { connectSubscriptions, type PublicSubscriptions } from './public-clients.js';
import { createStubDispatcher, type StubDispatcher } from './stub-dispatcher.js';
import {
  attemptedMessage,
  openWebhookFixture,
  resultsHandler,
  type WebhookFixture,
} from './webhook-fixture.js';
import { TEST_SEALING_KEYS } from './test-sealing-keys.js';

/** A separate database with the subscription service, as the console and the dispatcher use it. */
export interface SubscriptionFixture extends WebhookFixture {
  readonly client: PublicSubscriptions;
  /** A service with some dependencies replaced. */
  clientWith(parts: Partial<SubscriptionDeps>): PublicSubscriptions;
  readonly deps: SubscriptionDeps;
  readonly dispatcher: StubDispatcher;
  /** Fields and message of each log line. */
  readonly logLines: unknown[][];
  /** The current time of the clock. */
  now: Date;
  /** Creates a subscription to all installation events. */
  created(companyId: string): Promise<SubscriptionOfCompany>;
  /** Creates a subscription that is verified and active. */
  activated(companyId: string): Promise<SubscriptionOfCompany>;
  /** Sends a test, and reports the outcome of its attempt as the dispatcher does. */
  tested(of: SubscriptionOfCompany, outcome?: AttemptOutcome, urlVersion?: number): Promise<string>;
  /** Claims all due deliveries, as the scheduler does. */
  claim(limits?: Partial<ClaimLimits>): Promise<readonly LeasedDelivery[]>;
  /** Handles the result of an attempt. */
  readonly handle: ReturnType<typeof resultsHandler>;
}

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
export async function openSubscriptionFixture(): Promise<SubscriptionFixture> {
  const fixture = await openWebhookFixture();
  const logLines: unknown[][] = [];
  const dispatcher = createStubDispatcher();
  const deps: SubscriptionDeps = {
    database: fixture.database,
    endpoints: endpointsOver(dispatcher),
    sealingKeys: TEST_SEALING_KEYS,
    secretOverlapHours: 24,
    logger: { info: (...line: unknown[]) => void logLines.push(line) },
    clock: () => self.now,
  };
  const clientWith = (parts: Partial<SubscriptionDeps>) => connectSubscriptions({ ...deps, ...parts });

  const self: SubscriptionFixture = {
    ...fixture,
    client: clientWith({}),
    clientWith,
    deps,
    dispatcher,
    logLines,
    now: new Date('2026-08-26T14:03:00Z'),
    async created(companyId) {
      const { subscription } = await self.client.createSubscription({
        companyId,
        url: 'https://receiver.example/hooks',
        events: ['install.*'],
      });
      return { companyId, subscriptionId: subscription.id };
    },
    async activated(companyId) {
      const subscription = await self.created(companyId);
      await self.tested(subscription);
      await self.client.activateSubscription(subscription);
      return subscription;
    },
    async tested(of, outcome = AttemptOutcome.DELIVERED, urlVersion = 1) {
      const delivery = await self.client.sendTestDelivery(of);
      const claimed = (await self.claim()).find(({ id }) => id === delivery.id);
      invariant(claimed, 'the test is due, also while the subscription is paused');
      const { leaseId } = claimed;
      await self.handle(attemptedMessage({ deliveryId: delivery.id, leaseId, outcome, urlVersion }));
      return delivery.id;
    },
    claim: (limits) => claimAll(fixture.database, limits),
    handle: resultsHandler(fixture.database),
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
