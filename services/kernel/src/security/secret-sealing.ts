import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type KeyList, keyListSetting } from '../process/key-list.js';

/** Keys that seal webhook secrets and second factors. The first one seals; all of them open. */
export type SealingKeys = KeyList;

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The setting `WEBHOOK_SEALING_KEYS`, the same in job-state and webhook-dispatcher. */
export const sealingKeysSetting = keyListSetting(
  'Keys that seal signing secrets and second factors; the first seals, all open',
);

/** The version under which the custom headers of a subscription are sealed. Signing secrets have versions from 1. */
export const HEADERS_VERSION = 0;

/** Owner of a sealed secret; for a second factor its own id, with version 1. A secret that was moved to another subscription or version does not open. */
export interface SealedSecretOwner {
  readonly subscriptionId: string;
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
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(associatedData(keys.currentKeyId, owner));
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([Buffer.of(keyId.length), keyId, iv, cipher.getAuthTag(), ciphertext]);
}

/**
 * Opens the output of {@link sealSecret}. Throws if the key is missing, or if the blob was changed or belongs to
 * another owner.
 */
export function openSecret(keys: SealingKeys, owner: SealedSecretOwner, sealed: Uint8Array): string {
  const blob = viewOf(sealed);
  const keyId = sealingKeyIdOf(blob);
  const ivStart = 1 + keyId.length;
  const key = keys.keys.get(keyId);
  if (key === undefined) throw new Error('the secret is sealed with a key that is not held');
  const iv = blob.subarray(ivStart, ivStart + IV_BYTES);
  const tag = blob.subarray(ivStart + IV_BYTES, ivStart + IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(keyId, owner));
  decipher.setAuthTag(tag);
  return Buffer.concat([
    decipher.update(blob.subarray(ivStart + IV_BYTES + TAG_BYTES)),
    decipher.final(),
  ]).toString();
}

/** Returns the id of the key that sealed a blob. Does not check that the blob opens with it. */
export function sealingKeyIdOf(sealed: Uint8Array): string {
  const blob = viewOf(sealed);
  return blob.toString('ascii', 1, 1 + (blob[0] ?? 0));
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function associatedData(keyId: string, owner: SealedSecretOwner): Buffer {
  return Buffer.from(`${keyId}\n${owner.subscriptionId}\n${owner.version}`);
}
