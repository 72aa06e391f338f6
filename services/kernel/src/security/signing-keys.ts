import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from 'node:crypto';
import { keyListSetting } from '../process/key-list.js';
import type { SignedContent } from './webhook-signature.js';

const KEY_BYTES = 32;
/** No other use of the same key derives the same bytes. */
const INFO = 'webhook-ed25519/v1:';
/** What precedes the bytes of a private Ed25519 key in its DER form (RFC 8410). */
const PRIVATE_KEY_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const PREFIX = { private: 'whsk_', public: 'whpk_' } as const;

/** The setting `WEBHOOK_SIGNING_KEYS` of job-state. */
export const signingKeysSetting = keyListSetting(
  'Keys from which the key pair of each webhook with asymmetric signatures is derived; the first signs, the public keys of all are published',
);

/**
 * Returns the private Ed25519 key of a subscription: HKDF-SHA256 of a signing key, with the subscription's id in `info`. So what is signed
 * for one subscription never verifies as another one's. It is a text as Standard Webhooks writes it: `whsk_` and base64 of 32 bytes.
 */
export function privateKeyOf(signingKey: Uint8Array, subscriptionId: string): string {
  const bytes = hkdfSync('sha256', signingKey, '', INFO + subscriptionId, KEY_BYTES);
  return PREFIX.private + Buffer.from(bytes).toString('base64');
}

/** Returns the public key of a private one: `whpk_` and base64 of 32 bytes. */
export function publicKeyOf(privateKey: string): string {
  const { x = '' } = createPublicKey(keyObject(privateKey)).export({ format: 'jwk' });
  return PREFIX.public + Buffer.from(x, 'base64url').toString('base64');
}

/**
 * Returns the asymmetric signature of Standard Webhooks: `v1a,` and the base64 Ed25519 signature over event id, `.`, timestamp, `.`
 * and body.
 */
export function asymmetricSignature(
  privateKey: string,
  { timestamp, eventId, body }: Omit<SignedContent, 'secret'>,
): string {
  const content = Buffer.concat([Buffer.from(`${eventId}.${timestamp}.`), body]);
  return `v1a,${sign(null, content, keyObject(privateKey)).toString('base64')}`;
}

/** An import takes ten times as long as a signature. */
const imported = new Map<string, KeyObject>();
const MAX_IMPORTED = 1_000;

function keyObject(privateKey: string): KeyObject {
  const known = imported.get(privateKey);
  if (known !== undefined) return known;
  const bytes = Buffer.from(privateKey.slice(PREFIX.private.length), 'base64');
  const der = Buffer.concat([PRIVATE_KEY_DER, bytes]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  if (imported.size >= MAX_IMPORTED) imported.clear();
  imported.set(privateKey, key);
  return key;
}
