import { invariant } from '@partner/runtime/invariant';
import type { Logger } from '@partner/runtime/logger';
import { ServiceError } from '@partner/runtime/service-error';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, TransactionLimits } from '../database/database.js';
import { lockSubscription, type OwnersSubscription } from './get-subscription.js';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-message.js';

const HOUR_MS = 3_600_000;

/** What the activation of secrets works with. */
export interface ActivateSecretDeps {
  readonly database: Pick<Database, 'transaction'>;
  /** For how long the former secret is kept, in hours. */
  readonly secretOverlapHours: number;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock: () => Date;
}

/**
 * Makes the pending secret the current one: every attempt that is released from now on is signed with it (spec: Secret rotation
 * 3). The former one stays for the overlap and is then dropped. Repeating it with the version that is current by then is
 * harmless. Fails with `secret_version_mismatch` for any other version, and with `not_found` for a subscription that the company
 * does not have.
 *
 * Locks: the subscription, then the former secret.
 */
export async function activateSecret(
  deps: ActivateSecretDeps,
  request: OwnersSubscription & { readonly pendingSecretVersion: number },
  limits: TransactionLimits = {},
): Promise<SubscriptionRow> {
  const { companyId, subscriptionId, membershipId, actor, pendingSecretVersion } = request;
  const { subscription, isChanged } = await deps.database.transaction(async (tx) => {
    const before = await lockSubscription(tx, request);
    if (before.secretVersion === pendingSecretVersion) return { subscription: before, isChanged: false };
    if (before.pendingSecretVersion !== pendingSecretVersion) {
      const pending =
        before.pendingSecretVersion === null
          ? 'none is pending'
          : `the pending one is ${before.pendingSecretVersion}`;
      throw new ServiceError(
        'secret_version_mismatch',
        `pendingSecretVersion: ${pendingSecretVersion} is not the version of a pending secret; ${pending}`,
      );
    }
    const now = deps.clock();
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
    invariant(row, 'the locked row is there');
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
      { subscriptionId, companyId, membershipId, secretVersion },
      'subscription.secret_activated',
    );
  }
  return subscription;
}
