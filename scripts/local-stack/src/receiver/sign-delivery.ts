import { createHmac, randomUUID } from 'node:crypto';
import { newId } from '@partner/kernel/ids';
import { Webhook } from 'standardwebhooks';

/** A signed delivery. */
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
  const timestamp = String(Math.floor(given.at.getTime() / 1_000));
  const signature = createHmac('sha256', given.secret)
    .update(`${timestamp}.`)
    .update(given.body)
    .digest('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'x-request-id': randomUUID(),
      'x-svc-event': given.event,
      'x-svc-delivery-id': newId('dlv'),
      'x-svc-timestamp': timestamp,
      'x-svc-secret-version': String(given.secretVersion),
      'x-svc-signature': `v1=${signature}`,
      'webhook-id': given.eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': new Webhook(given.secret).sign(
        given.eventId,
        new Date(Number(timestamp) * 1_000),
        given.body.toString('utf8'),
      ),
    },
    body: given.body,
  };
}
