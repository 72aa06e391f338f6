import { createHmac } from 'node:crypto';

export interface SignedContent {
  readonly secret: string;
  /** Time of signing, in Unix seconds. */
  readonly timestamp: number;
  readonly eventId: string;
  /** The exact bytes of the request body. */
  readonly body: Uint8Array;
}

const SECRET_PREFIX = 'whsec_';

/**
 * Returns the service's own signature, the value of `x-svc-signature` (spec: Signature rule). It is `v1=` and the
 * lowercase hex HMAC-SHA256 over timestamp, `.` and body. The key is the UTF-8 bytes of the whole secret, prefix
 * included.
 */
export function serviceSignature({ secret, timestamp, body }: Omit<SignedContent, 'eventId'>): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/**
 * Returns the Standard Webhooks signature, the value of `webhook-signature`. It is `v1,` and the base64 HMAC-SHA256
 * over event id, `.`, timestamp, `.` and body. The key is the base64-decoded part of the secret after its prefix.
 */
export function standardWebhooksSignature({ secret, timestamp, eventId, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
}
