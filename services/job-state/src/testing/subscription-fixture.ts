import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import { claimAll } from './claim-all.js';
import type { ClaimLimits } from '../webhooks/schedule/claim-due.js';
import type { SubscriptionOfCompany } from '../webhooks/subscriptions/get-subscription.js';
import { endpointsOver } from '../webhooks/subscriptions/check-endpoint.js';
import type { SubscriptionDeps } from '../webhooks/subscriptions/subscription-operations.js';
import { connectSubscriptions, type PublicSubscriptions } from './public-clients.js';
import { createStubDispatcher } from './stub-dispatcher.js';
import { attemptedMessage, openWebhookFixture, resultsHandler } from './webhook-fixture.js';
import { TEST_SEALING_KEYS } from './test-sealing-keys.js';

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

interface StoredSecret {
  readonly version: number;
  readonly sealed: Buffer;
  readonly sealingKeyId: string;
  readonly expiresAt: Date | null;
}

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
  const clientWith = (parts: Partial<SubscriptionDeps>): PublicSubscriptions =>
    connectSubscriptions({ ...deps, ...parts });
  const client = clientWith({});
  const handle = resultsHandler(fixture.database);
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

  /** Creates a subscription that is active as if a test had been delivered. */
  async function activated(companyId: string) {
    const subscription = await created(companyId);
    const changes = `state = 'active', paused_at = null, verified_url_version = url_version`;
    await fixture.set('subscriptions', subscription.subscriptionId, changes);
    return subscription;
  }

  const self = {
    ...fixture,
    newlyCreated: async () => created(await fixture.company()),
    newlyActivated: async () => activated(await fixture.company()),
    secretsOf: ({ subscriptionId }: Pick<SubscriptionOfCompany, 'subscriptionId'>) =>
      fixture.database.query<StoredSecret & Record<string, unknown>>(
        `select version, sealed, sealing_key_id as "sealingKeyId", expires_at as "expiresAt" from subscription_secrets
         where subscription_id = $1 order by version`,
        [subscriptionId],
      ),
    /** A delivery as the scheduler claims it with everything else that is due. */
    async claimed({ id }: { readonly id: string }) {
      const found = (await claim()).find((each) => each.id === id);
      invariant(found, 'the delivery is due');
      return found;
    },
    ...{ client, clientWith, deps, dispatcher, logLines, handle, claim, created, tested, activated },
    now: new Date('2026-08-26T14:03:00Z'),
  };
  return self;
}
