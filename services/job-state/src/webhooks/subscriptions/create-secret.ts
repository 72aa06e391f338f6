import { randomBytes } from 'node:crypto';
import { type SealingKeys, sealingKeyIdOf, sealSecret } from '@partner/kernel/secret-sealing';

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
