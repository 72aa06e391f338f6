import type { Logger } from '@partner/kernel/telemetry/logger';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, TransactionLimits } from '../../database/database.js';
import { lockSubscription, type OwnersSubscription, refuseStale } from './get-subscription.js';

/**
 * Deletes a subscription and drops its secrets.
 *
 * From then on it is `not_found` for its owner, frees its slot and gets no event. Its unfinished deliveries are cancelled
 * gradually, however large the backlog. Its row stays as long as its deliveries are kept. Fails with `not_found` for a
 * subscription that the company does not have, and with `stale_version` for one that was changed at another time than expected.
 *
 * Locks: the subscription, then its secrets, then the row with the numbers of the company.
 */
export async function deleteSubscription(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: OwnersSubscription & { readonly expectedUpdatedAt?: Date | undefined },
  limits: TransactionLimits = {},
): Promise<void> {
  const { companyId, subscriptionId, actor } = request;
  await deps.database.transaction(async (tx) => {
    const before = await lockSubscription(tx, request);
    refuseStale(before, request.expectedUpdatedAt);
    await tx.query(
      `update subscriptions set state = 'paused', paused_at = coalesce(paused_at, $2), deleted_at = $2, updated_at = $2,
         pending_secret_version = null
       where id = $1`,
      [subscriptionId, deps.clock()],
    );
    await tx.query('delete from subscription_secrets where subscription_id = $1', [subscriptionId]);
    // The row with the company's numbers has those of subscriptions that can get an event only.
    await tx.query('update event_heads set delivery_counts = delivery_counts - $2 where company_id = $1', [
      companyId,
      subscriptionId,
    ]);
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'webhook.deleted',
      subject: { type: 'webhook', id: subscriptionId },
      details: { url: before.url },
    });
    tx.wakeAfterCommit('subscriptions');
    tx.announceAfterCommit(companyId, [subscriptionId]);
  }, limits);
  deps.logger.info({ subscriptionId, companyId, membershipId: actor?.membershipId }, 'subscription.deleted');
}
