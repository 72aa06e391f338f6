import { randomBytes } from 'node:crypto';
import {
  type SealedSecretOwner,
  type SealingKeys,
  sealingKeyIdOf,
  sealSecret,
} from '@partner/kernel/security/secret-sealing';
import type { Queryable } from '../../database/database.js';

/** A new signing secret: its text, to be shown once, and the sealed form that is stored. */
export interface NewSecret {
  /** `whsec_` and the base64 of 32 random bytes. */
  readonly secret: string;
  readonly sealed: Buffer;
  /** The key that sealed it. */
  readonly sealingKeyId: string;
}

/** Creates a signing secret for one version of one subscription, sealed under the current key. */
export function createSecret(
  keys: SealingKeys,
  owner: { readonly subscriptionId: string; readonly version: number },
): NewSecret {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const sealed = sealSecret(keys, owner, secret);
  return { secret, sealed, sealingKeyId: sealingKeyIdOf(sealed) };
}

/** Stores a sealed value beside the signing secrets of a locked subscription, and replaces an earlier one. */
export async function writeSecret(
  tx: Queryable,
  { subscriptionId, version }: SealedSecretOwner,
  sealed: Buffer,
): Promise<void> {
  await tx.query(
    `insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id) values ($1, $2, $3, $4)
     on conflict (subscription_id, version) do update set sealed = excluded.sealed, sealing_key_id = excluded.sealing_key_id`,
    [subscriptionId, version, sealed, sealingKeyIdOf(sealed)],
  );
}
