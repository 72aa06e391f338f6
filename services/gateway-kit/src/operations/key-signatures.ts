import { invariant } from '@partner/kernel/process/invariant';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import type { EndpointRequest } from '../http/endpoint.js';

/**
 * Returns the headers that sign a text for the caller's key as a webhook is signed, in both forms: the secret is `whsec_` and the base64 of
 * the key (decision EVENT-11).
 */
export function keySignatures(
  request: Pick<EndpointRequest<unknown, unknown, unknown>, 'header'>,
  now: Date,
  { eventId, body }: { readonly eventId: string; readonly body: string },
) {
  const apiKey = request.header('x-api-key');
  invariant(apiKey, 'the caller has a key');
  const secret = `whsec_${Buffer.from(apiKey, 'utf8').toString('base64')}`;
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signed = { secret, timestamp, eventId, body: Buffer.from(body, 'utf8') };
  return {
    'x-svc-timestamp': String(timestamp),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
  };
}
