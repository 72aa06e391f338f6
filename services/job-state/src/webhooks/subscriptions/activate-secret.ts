import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../../database/database.js';
import { lockSubscription, type OwnersSubscription } from './get-subscription.js';
import { secretVersionMismatch } from './secret-version-mismatch.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-resource.js';

const HOUR_MS = 3_600_000;

/** Dependencies of the activation of secrets. */
export interface ActivateSecretDeps {
  readonly database: Pick<Database, 'transaction'>;
  /** How long the former secret is kept, in hours. */
  readonly secretOverlapHours: number;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}

/**
 * Makes the pending secret the active one (spec: Secret rotation 3).
 *
 * It signs every attempt that is released from now on. The previous secret stays for the overlap and is then dropped. A repeat
 * of the latest activation changes nothing and succeeds; see {@link isRepeat}. Fails with `secret_version_mismatch` for any
 * other version, the active one included, and with `not_found` for a subscription that the company does not have.
 *
 * Locks: the subscription, then the previous secret.
 */
export async function activateSecret(
  deps: ActivateSecretDeps,
  request: OwnersSubscription & { readonly pendingSecretVersion: number },
  limits: TransactionLimits = {},
): Promise<SubscriptionRow> {
  const { companyId, subscriptionId, actor, pendingSecretVersion } = request;
  const { subscription, isChanged } = await deps.database.transaction(async (tx) => {
    const before = await lockSubscription(tx, request);
    const now = deps.clock();
    if (before.pendingSecretVersion !== pendingSecretVersion) {
      if (await isRepeat(tx, before, pendingSecretVersion, now))
        return { subscription: before, isChanged: false };
      throw secretVersionMismatch('pendingSecretVersion', pendingSecretVersion, before);
    }
    const expiresAt = new Date(now.getTime() + deps.secretOverlapHours * HOUR_MS);
    await tx.query(
      'update subscription_secrets set expires_at = $3 where subscription_id = $1 and version = $2',
      [subscriptionId, before.secretVersion, expiresAt],
    );
    const [row] = await tx.query<SubscriptionRow>(
      `update subscriptions s set secret_version = $2, pending_secret_version = null, updated_at = $3 where s.id = $1
       returning ${SUBSCRIPTION_COLUMNS}`,
      [subscriptionId, pendingSecretVersion, now],
    );
    invariant(row, 'the locked row exists');
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'webhook.secret_activated',
      subject: { type: 'webhook', id: subscriptionId },
      details: { secretVersion: pendingSecretVersion },
    });
    tx.announceAfterCommit(companyId, [subscriptionId]);
    return { subscription: row, isChanged: true };
  }, limits);
  if (isChanged) {
    const { secretVersion } = subscription;
    deps.logger.info(
      { subscriptionId, companyId, membershipId: actor?.membershipId, secretVersion },
      'subscription.secret_activated',
    );
  }
  return subscription;
}

/**
 * Whether a request repeats the activation that made the active secret so.
 *
 * It does while the secret that this activation replaced is still in its overlap and no newer rotation has begun. After that a
 * retry is no longer plausible, and the version is more likely a mistake for the pending one.
 */
async function isRepeat(
  tx: Transaction,
  subscription: SubscriptionRow,
  wanted: number,
  now: Date,
): Promise<boolean> {
  if (subscription.secretVersion !== wanted || subscription.pendingSecretVersion !== null) return false;
  const replaced = await tx.query(
    'select 1 from subscription_secrets where subscription_id = $1 and version between 1 and $2 - 1 and expires_at > $3 limit 1',
    [subscription.id, wanted, now],
  );
  return replaced.length > 0;
}
