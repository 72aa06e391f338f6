import { randomUUID } from 'node:crypto';
import { newId } from '@partner/kernel/process/ids';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';

export interface SignedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Signs a body with both signatures, as webhook-dispatcher does (spec: Signature rule). */
export function signDelivery(given: {
  readonly secret: string;
  readonly secretVersion: number;
  readonly event: string;
  readonly eventId: string;
  readonly at: Date;
  readonly body: Buffer;
}): SignedDelivery {
  const timestamp = Math.floor(given.at.getTime() / 1_000);
  return {
    headers: {
      'content-type': 'application/json',
      'x-request-id': randomUUID(),
      'x-svc-event': given.event,
      'x-svc-delivery-id': newId('dlv'),
      'x-svc-timestamp': String(timestamp),
      'x-svc-secret-version': String(given.secretVersion),
      'x-svc-signature': serviceSignature({ ...given, timestamp }),
      'webhook-id': given.eventId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standardWebhooksSignature({ ...given, timestamp }),
    },
    body: given.body,
  };
}
