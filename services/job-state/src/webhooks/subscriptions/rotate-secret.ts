import type { SealingKeys } from '@partner/kernel/security/secret-sealing';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Transaction } from '../../database/database.js';
import { type ChangeDeps, changeSubscription, setColumns } from './change-subscription.js';
import { createSecret, writeSecret } from './create-secret.js';
import type { OwnersSubscription } from './get-subscription.js';
import type { SubscriptionRow } from './subscription-resource.js';

const HOUR_MS = 3_600_000;
const ROTATED = ['webhook.secret_rotated', 'subscription.secret_rotated'] as const;
const ACTIVATED = ['webhook.secret_activated', 'subscription.secret_activated'] as const;

export interface SecretDeps extends ChangeDeps {
  readonly sealingKeys: SealingKeys;
  /** How long a replaced secret is kept, in hours. */
  readonly secretOverlapHours: number;
}

/**
 * Creates a pending secret with the next version number (spec: Secret rotation 1).
 *
 * It is stored sealed and returned only here. Deliveries stay signed with the current secret. An existing pending secret is
 * dropped; a test that was to be signed with it is signed with the current one. Version numbers are never reused. A current secret that
 * was never shown is replaced at once, since no server has it; activating the new version then is a repeat.
 *
 * Locks: the subscription, then the secret that is replaced.
 */
export function rotateSecret(
  deps: SecretDeps,
  request: OwnersSubscription,
): Promise<{ readonly subscription: SubscriptionRow; readonly secret: string }> {
  const { subscriptionId } = request;
  return changeSubscription(deps, request, ROTATED, async (tx, before) => {
    const version = (before.pendingSecretVersion ?? before.secretVersion) + 1;
    const owner = { ownerId: subscriptionId, version };
    const { secret, sealed } = createSecret(deps.sealingKeys, owner);
    const now = deps.clock();
    await tx.query('delete from subscription_secrets where subscription_id = $1 and version = $2', [
      subscriptionId,
      before.pendingSecretVersion,
    ]);
    if (!before.secretShown) {
      // As after an activation, but its end is of interest to no one.
      await tx.query(
        `update subscription_secrets set expires_at = $3, end_announced_at = $3 where subscription_id = $1 and version = $2`,
        [subscriptionId, before.secretVersion, overlapEnd(deps, now)],
      );
    }
    await writeSecret(tx, owner, sealed);
    const subscription = await setColumns(
      tx,
      subscriptionId,
      `pending_secret_version = case when s.secret_shown then $2::integer end,
       secret_version = case when s.secret_shown then s.secret_version else $2 end, secret_shown = true, updated_at = $3`,
      [version, now],
    );
    const { secretVersion, pendingSecretVersion } = subscription;
    return {
      result: { subscription, secret },
      details: before.secretShown ? { pendingSecretVersion: version } : { secretVersion: version },
      logged: { secretVersion, pendingSecretVersion },
    };
  });
}

/**
 * Makes the pending secret the active one (spec: Secret rotation 3).
 *
 * It signs every attempt that is released from now on. The previous secret stays for the overlap and is then dropped. A repeat
 * of the latest activation changes nothing and succeeds; see {@link isRepeat}. Fails with `secret_version_mismatch` for any
 * other version, the active one included.
 *
 * Locks: the subscription, then the previous secret.
 */
export function activateSecret(
  deps: SecretDeps,
  request: OwnersSubscription & { readonly pendingSecretVersion: number },
): Promise<SubscriptionRow> {
  const { subscriptionId, pendingSecretVersion: version } = request;
  return changeSubscription(deps, request, ACTIVATED, async (tx, before) => {
    const now = deps.clock();
    if (before.pendingSecretVersion !== version) {
      if (await isRepeat(tx, before, version, now)) return { result: before };
      throw secretVersionMismatch('pendingSecretVersion', version, before);
    }
    await tx.query(
      'update subscription_secrets set expires_at = $3 where subscription_id = $1 and version = $2',
      [subscriptionId, before.secretVersion, overlapEnd(deps, now)],
    );
    const assignments = 'secret_version = $2, pending_secret_version = null, updated_at = $3';
    const result = await setColumns(tx, subscriptionId, assignments, [version, now]);
    return { result, details: { secretVersion: version }, logged: { secretVersion: version } };
  });
}

function overlapEnd({ secretOverlapHours }: SecretDeps, now: Date): Date {
  return new Date(now.getTime() + secretOverlapHours * HOUR_MS);
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

/**
 * The 409 for a secret version that the operation cannot use.
 *
 * It reports the state of that version, which secret signs deliveries, and which one is pending.
 */
export function secretVersionMismatch(
  field: string,
  wanted: number,
  { secretVersion, pendingSecretVersion }: Pick<SubscriptionRow, 'secretVersion' | 'pendingSecretVersion'>,
): ServiceError {
  const pending =
    pendingSecretVersion === null ? 'no secret is pending' : `the pending secret is ${pendingSecretVersion}`;
  const state =
    wanted === secretVersion
      ? `${wanted} is already active`
      : wanted >= 1 && wanted < secretVersion
        ? `${wanted} was replaced; deliveries are signed with ${secretVersion}`
        : `${wanted} does not exist; deliveries are signed with ${secretVersion}`;
  return new ServiceError('secret_version_mismatch', `${field}: ${state}; ${pending}`);
}
