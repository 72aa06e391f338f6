import { createHmac } from 'node:crypto';

/** What a signature covers. */
export interface SignedContent {
  /** The whole signing secret, `whsec_…`. */
  readonly secret: string;
  /** Unix seconds of the moment of signing. */
  readonly timestamp: number;
  readonly eventId: string;
  /** The exact bytes that are sent. */
  readonly body: Uint8Array;
}

const SECRET_PREFIX = 'whsec_';

/**
 * The service's own signature, the value of `x-svc-signature` (spec: Signature rule): `v1=` and the lowercase hex
 * HMAC-SHA256 over timestamp, `.` and body. The key is the UTF-8 bytes of the whole secret, prefix included.
 */
export function serviceSignature({ secret, timestamp, body }: Omit<SignedContent, 'eventId'>): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

/**
 * The signature that stock verifiers of Standard Webhooks check, the value of `webhook-signature`: `v1,` and the base64
 * HMAC-SHA256 over event id, `.`, timestamp, `.` and body. The key is what the part of the secret after its prefix
 * decodes to.
 */
export function standardWebhooksSignature({ secret, timestamp, eventId, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
}
