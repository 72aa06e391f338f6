import type { Logger } from '@partner/runtime/logger';
import { ServiceError } from '@partner/runtime/service-error';
import type { Database, TransactionLimits } from '../database/database.js';
import { getSubscription, type SubscriptionOfCompany } from './get-subscription.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-message.js';

/**
 * Makes a subscription active: from now on matching events are queued for it, and what was held goes on, each delivery at
 * the time that it had. Repeating it is harmless. Fails with `not_found` for a subscription that the company does not have,
 * and with `test_delivery_required` unless a test delivery to the present URL was answered with 2xx.
 *
 * Locks: the held deliveries, then the subscription, in the order in which results take them. A delivery that becomes held
 * meanwhile does so under a lock on its paused subscription, and so is seen after it.
 */
export async function activateSubscription(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: SubscriptionOfCompany,
  limits: TransactionLimits = {},
): Promise<SubscriptionRow> {
  const { companyId, subscriptionId } = request;
  const { subscription, wasPaused } = await deps.database.transaction(async (tx) => {
    const before = await getSubscription(tx, request);
    if (before.state === 'active') return { subscription: before, wasPaused: false };
    await tx.query(
      `select 1 from deliveries where subscription_id = $1 and state = 'held' order by id for update`,
      [subscriptionId],
    );
    const [active] = await tx.query<SubscriptionRow>(
      `update subscriptions s set state = 'active', updated_at = $3
       where s.id = $1 and s.company_id = $2 and s.verified_url_version = s.url_version
       returning ${SUBSCRIPTION_COLUMNS}`,
      [subscriptionId, companyId, deps.clock()],
    );
    if (active === undefined) {
      throw new ServiceError(
        'test_delivery_required',
        'the subscription can be activated once a test delivery to its present URL was answered with 2xx; ' +
          'send one and wait until it is delivered',
      );
    }
    await tx.query(
      `update deliveries set state = case attempts when 0 then 'pending' else 'retry_scheduled' end
       where subscription_id = $1 and state = 'held'`,
      [subscriptionId],
    );
    tx.wakeAfterCommit('deliveries');
    return { subscription: active, wasPaused: true };
  }, limits);
  if (wasPaused) deps.logger.info({ subscriptionId, companyId }, 'subscription.activated');
  return subscription;
}
