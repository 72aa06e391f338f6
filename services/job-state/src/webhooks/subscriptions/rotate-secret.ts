import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { SealingKeys } from '@partner/kernel/security/secret-sealing';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, TransactionLimits } from '../../database/database.js';
import { createSecret } from './create-secret.js';
import { lockSubscription, type OwnersSubscription } from './get-subscription.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';

const HOUR_MS = 3_600_000;

/**
 * Creates a pending secret with the next version number (spec: Secret rotation 1).
 *
 * It is stored sealed and returned only here. Deliveries stay signed with the current secret. An existing pending secret is
 * dropped; a test that was to be signed with it is signed with the current one. Version numbers are never reused. A current secret that
 * was never shown is replaced at once, since no server has it; activating the new version then is a repeat. Fails with
 * `not_found` for a subscription that the company does not have.
 *
 * Locks: the subscription, then the secret that is replaced.
 */
export async function rotateSecret(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly sealingKeys: SealingKeys;
    /** How long a replaced secret is kept, in hours. */
    readonly secretOverlapHours: number;
    readonly logger: Pick<Logger, 'info'>;
    readonly clock: () => Date;
  },
  request: OwnersSubscription,
  limits: TransactionLimits = {},
): Promise<{ readonly subscription: SubscriptionRow; readonly secret: string }> {
  const { companyId, subscriptionId, actor } = request;
  const rotated = await deps.database.transaction(async (tx) => {
    const before = await lockSubscription(tx, request);
    const version = (before.pendingSecretVersion ?? before.secretVersion) + 1;
    const { secret, sealed, sealingKeyId } = createSecret(deps.sealingKeys, { subscriptionId, version });
    const now = deps.clock();
    await tx.query('delete from subscription_secrets where subscription_id = $1 and version = $2', [
      subscriptionId,
      before.pendingSecretVersion,
    ]);
    if (!before.secretShown) {
      // As after an activation, but its end is of interest to no one.
      await tx.query(
        `update subscription_secrets set expires_at = $3, end_announced_at = $3 where subscription_id = $1 and version = $2`,
        [subscriptionId, before.secretVersion, new Date(now.getTime() + deps.secretOverlapHours * HOUR_MS)],
      );
    }
    const [subscription] = await tx.query<SubscriptionRow>(
      `with secret as (
         insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id, created_at)
         values ($1, $2, $3, $4, $5)
       )
       update subscriptions s set
         pending_secret_version = case when s.secret_shown then $2 end,
         secret_version = case when s.secret_shown then s.secret_version else $2 end, secret_shown = true, updated_at = $5
       where s.id = $1
       returning ${SUBSCRIPTION_COLUMNS}`,
      [subscriptionId, version, sealed, sealingKeyId, now],
    );
    invariant(subscription, 'the locked row is there');
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'webhook.secret_rotated',
      subject: { type: 'webhook', id: subscriptionId },
      details: before.secretShown ? { pendingSecretVersion: version } : { secretVersion: version },
    });
    tx.announceAfterCommit(companyId, [subscriptionId]);
    return { subscription, secret };
  }, limits);
  const { pendingSecretVersion, secretVersion } = rotated.subscription;
  deps.logger.info(
    { subscriptionId, companyId, membershipId: actor?.membershipId, secretVersion, pendingSecretVersion },
    'subscription.secret_rotated',
  );
  return rotated;
}
