import { type KeyList, keyListSetting } from '../process/key-list.js';
import { decrypt, encrypt } from './aes-gcm.js';

/** Keys that seal webhook secrets and second factors. The first one seals; all of them open. */
export type SealingKeys = KeyList;

/** The setting `WEBHOOK_SEALING_KEYS`, the same in job-state and webhook-dispatcher. */
export const sealingKeysSetting = keyListSetting(
  'Keys that seal signing secrets and second factors; the first seals, all open',
);

/** The version under which the custom headers of a subscription are sealed. Signing secrets have versions from 1. */
export const HEADERS_VERSION = 0;

/** The version under which the private key of a subscription is sealed in a command. */
export const PRIVATE_KEY_VERSION = -1;

/** A secret that was moved to another owner or version does not open. */
export interface SealedSecretOwner {
  /** Id of a subscription, or of a second factor, whose version is 1. */
  readonly ownerId: string;
  readonly version: number;
}

/**
 * Seals a secret with AES-256-GCM under the current key. The result holds key id, IV, tag and
 * ciphertext.
 */
export function sealSecret(keys: SealingKeys, owner: SealedSecretOwner, secret: string): Buffer {
  const key = keys.keys.get(keys.currentKeyId);
  if (key === undefined) throw new Error('the current sealing key is missing');
  const keyId = Buffer.from(keys.currentKeyId);
  const encrypted = encrypt(key, associatedData(keys.currentKeyId, owner), secret);
  return Buffer.concat([Buffer.of(keyId.length), keyId, encrypted]);
}

/**
 * Opens the output of {@link sealSecret}. Throws if the key is missing, or if the blob was changed or belongs to
 * another owner.
 */
export function openSecret(keys: SealingKeys, owner: SealedSecretOwner, sealed: Uint8Array): string {
  const blob = viewOf(sealed);
  const keyId = sealingKeyIdOf(blob);
  const key = keys.keys.get(keyId);
  if (key === undefined) throw new Error('the secret is sealed with a key that this process does not have');
  return decrypt(key, associatedData(keyId, owner), blob.subarray(1 + keyId.length));
}

/** Returns the id of the key that sealed a blob. Does not check that the blob opens with it. */
export function sealingKeyIdOf(sealed: Uint8Array): string {
  const blob = viewOf(sealed);
  return blob.toString('ascii', 1, 1 + (blob[0] ?? 0));
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function associatedData(keyId: string, owner: SealedSecretOwner): string {
  return `${keyId}\n${owner.ownerId}\n${owner.version}`;
}
