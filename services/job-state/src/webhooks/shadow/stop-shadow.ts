import type { Logger } from '@partner/kernel/logger';
import { notFound } from '@partner/kernel/service-error';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, TransactionLimits } from '../../database/database.js';
import { endShadow } from '../subscriptions/end-shadow.js';
import { lockSubscription, type OwnersSubscription } from '../subscriptions/get-subscription.js';
import { SHADOW_COLUMNS, type ShadowRow } from './shadow-resource.js';

/**
 * Ends the shadow of a subscription; its comparison stays. One that is not running stays unchanged.
 *
 * Fails with `not_found` for a subscription that the company does not have, and for one without a shadow. Lock: the subscription.
 */
export async function stopShadow(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'info'> },
  request: OwnersSubscription,
  limits: TransactionLimits = {},
): Promise<ShadowRow> {
  const { companyId, subscriptionId, membershipId, actor } = request;
  const { shadow, hasEnded } = await deps.database.transaction(async (tx) => {
    await lockSubscription(tx, request);
    const ended = await endShadow(tx, subscriptionId);
    const [row] = await tx.query<ShadowRow>(
      `select ${SHADOW_COLUMNS} from webhook_shadows w where w.subscription_id = $1`,
      [subscriptionId],
    );
    if (row === undefined) throw notFound('webhook shadow');
    if (ended === undefined) return { shadow: row, hasEnded: false };
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'webhook.shadow_stopped',
      subject: { type: 'webhook', id: subscriptionId },
      details: { url: row.url },
    });
    tx.wakeAfterCommit('shadows');
    tx.announceAfterCommit(companyId, [subscriptionId]);
    return { shadow: row, hasEnded: true };
  }, limits);
  if (hasEnded) {
    deps.logger.info(
      { subscriptionId, companyId, membershipId, shadowId: shadow.id },
      'subscription.shadow_stopped',
    );
  }
  return shadow;
}
