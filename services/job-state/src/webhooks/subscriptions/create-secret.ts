import { randomBytes } from 'node:crypto';
import {
  type SealedSecretOwner,
  type SealingKeys,
  sealingKeyIdOf,
  sealSecret,
} from '@partner/kernel/security/secret-sealing';
import type { Queryable } from '../../database/database.js';

/**
 * Creates a signing secret, `whsec_` and the base64 of 32 random bytes, for one version of one subscription: its text, to be shown
 * once, and the form that is stored, sealed under the current key.
 */
export function createSecret(
  keys: SealingKeys,
  owner: SealedSecretOwner,
): { readonly secret: string; readonly sealed: Buffer } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return { secret, sealed: sealSecret(keys, owner, secret) };
}

/** Stores a secret of a locked subscription, or a sealed value beside them, and replaces an earlier one. */
export async function writeSecret(
  tx: Queryable,
  { ownerId: subscriptionId, version }: SealedSecretOwner,
  sealed: Buffer,
): Promise<void> {
  await tx.query(
    `insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id) values ($1, $2, $3, $4)
     on conflict (subscription_id, version) do update set sealed = excluded.sealed, sealing_key_id = excluded.sealing_key_id`,
    [subscriptionId, version, sealed, sealingKeyIdOf(sealed)],
  );
}
