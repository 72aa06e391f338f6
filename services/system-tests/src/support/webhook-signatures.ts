import { createHmac, createPublicKey, verify } from 'node:crypto';
import type { ReceivedWebhook } from './webhook-receiver.js';

/** The signature headers that a secret gives a webhook (spec: Delivery; Standard Webhooks). */
export function signaturesOf(
  secret: string,
  { headers, body }: Pick<ReceivedWebhook, 'headers' | 'body'>,
): Readonly<Record<'x-svc-signature' | 'webhook-signature', string>> {
  const sign = (key: string | Buffer, prefix: string) =>
    createHmac('sha256', key).update(prefix).update(body);
  const signed = sign(secret, `${String(headers['x-svc-timestamp'])}.`);
  const standardKey = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = sign(
    standardKey,
    `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`,
  );
  return {
    'x-svc-signature': `v1=${signed.digest('hex')}`,
    'webhook-signature': `v1,${standard.digest('base64')}`,
  };
}

/** True if the secret has made the first signature in each header of a webhook. */
export function isSignedWith(secret: string, webhook: Pick<ReceivedWebhook, 'headers' | 'body'>): boolean {
  return Object.entries(signaturesOf(secret, webhook)).every(
    ([header, signature]) => String(webhook.headers[header]).split(' ')[0] === signature,
  );
}

/** True if the private key of a public one has made the last signature of a webhook. */
export function isSignedBy(
  publicKey: string,
  { headers, body }: Pick<ReceivedWebhook, 'headers' | 'body'>,
): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signature = String(headers['webhook-signature']).split(' v1a,')[1] ?? '';
  const prefix = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`;
  return verify(null, Buffer.concat([Buffer.from(prefix), body]), key, Buffer.from(signature, 'base64'));
}
