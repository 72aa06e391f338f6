import type { KeyList } from '@partner/kernel/process/key-list';
import { invalidArgument } from '@partner/kernel/process/validation';
import { PRIVATE_KEY_VERSION, sealSecret } from '@partner/kernel/security/secret-sealing';
import { privateKeyOf, publicKeyOf } from '@partner/kernel/security/signing-keys';
import type { WebhookKeys } from '@partner/proto-contracts/resources/webhook-sender/webhook-sender';
import type { Config } from '../../config.js';

/** Returns the sealed private key of a subscription; undefined without signing keys. */
export type SealedPrivateKeys = (subscriptionId: string) => Buffer | undefined;

/** The private keys that the first signing key gives, sealed for the dispatcher, which has no signing keys. */
export function sealedPrivateKeys({
  WEBHOOK_SIGNING_KEYS: signingKeys,
  WEBHOOK_SEALING_KEYS: sealingKeys,
}: Pick<Config, 'WEBHOOK_SIGNING_KEYS' | 'WEBHOOK_SEALING_KEYS'>): SealedPrivateKeys {
  const current = signingKeys?.keys.get(signingKeys.currentKeyId);
  return (ownerId) =>
    current &&
    sealSecret(sealingKeys, { ownerId, version: PRIVATE_KEY_VERSION }, privateKeyOf(current, ownerId));
}

/** The public keys of any id: they are derived, so nothing says whether the subscription exists. */
export function publicKeys(signingKeys: KeyList | undefined, subscriptionId: string): WebhookKeys['keys'] {
  return [...(signingKeys?.keys ?? [])].map(([id, key]) => ({
    publicKey: publicKeyOf(privateKeyOf(key, subscriptionId)),
    signs: id === signingKeys?.currentKeyId,
  }));
}

interface WantedSignature {
  readonly asymmetricSignature?: boolean | undefined;
}

/** Returns why a webhook cannot have asymmetric signatures; undefined if it can, or wants none. */
export function refusalWithoutSigningKeys(
  signingKeys: KeyList | undefined,
  { asymmetricSignature }: WantedSignature,
): string | undefined {
  if (asymmetricSignature !== true || signingKeys !== undefined) return undefined;
  return 'must be false, because this service has no signing keys; its operator can add them';
}

/** Fails with `invalid_argument` (`asymmetricSignature`) if such signatures are wanted and there are no signing keys. */
export function requireSigningKeys(signingKeys: KeyList | undefined, wanted: WantedSignature): void {
  const message = refusalWithoutSigningKeys(signingKeys, wanted);
  if (message !== undefined) throw invalidArgument([{ path: 'asymmetricSignature', message }]);
}
