import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, TransactionLimits } from '../../database/database.js';
import { lockSubscription, type OwnersSubscription } from './get-subscription.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';

/**
 * Pauses a subscription: from now on no event is queued for it, and its unfinished deliveries are held gradually.
 *
 * The backlog does not slow down the pause. It is idempotent: a repeat keeps the time of the first pause. Fails with
 * `not_found` for a subscription that the company does not have.
 *
 * Lock: the subscription.
 */
export async function pauseSubscription(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: OwnersSubscription,
  limits: TransactionLimits = {},
): Promise<SubscriptionRow> {
  const { companyId, subscriptionId, actor } = request;
  const { subscription, wasActive } = await deps.database.transaction(async (tx) => {
    const before = await lockSubscription(tx, request);
    if (before.state === 'paused') return { subscription: before, wasActive: false };
    const [paused] = await tx.query<SubscriptionRow>(
      `update subscriptions s set state = 'paused', paused_at = $2, updated_at = $2 where s.id = $1
       returning ${SUBSCRIPTION_COLUMNS}`,
      [subscriptionId, deps.clock()],
    );
    invariant(paused, 'the locked row exists');
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'webhook.paused',
      subject: { type: 'webhook', id: subscriptionId },
    });
    tx.wakeAfterCommit('subscriptions');
    tx.announceAfterCommit(companyId, [subscriptionId]);
    return { subscription: paused, wasActive: true };
  }, limits);
  if (wasActive)
    deps.logger.info({ subscriptionId, companyId, membershipId: actor?.membershipId }, 'subscription.paused');
  return subscription;
}
