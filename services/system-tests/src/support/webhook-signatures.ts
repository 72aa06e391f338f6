import { createHmac } from 'node:crypto';
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

/** True if the secret has made all signatures of a webhook. */
export function isSignedWith(secret: string, webhook: Pick<ReceivedWebhook, 'headers' | 'body'>): boolean {
  return Object.entries(signaturesOf(secret, webhook)).every(
    ([header, signature]) => webhook.headers[header] === signature,
  );
}
