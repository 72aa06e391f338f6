import { injectTrace } from '@partner/kernel/telemetry/tracing';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import type { DeliveryCommand } from './read-delivery-command.js';

const USER_AGENT = 'partner-integration-service-webhooks/1.0';

/** Returns the headers of one attempt (spec: Delivery), except those that the connection sets. */
export function signedHeaders(attempt: {
  readonly command: DeliveryCommand;
  readonly secret: string;
  readonly attemptId: string;
  readonly startedAt: Date;
}): Record<string, string> {
  const { command, secret } = attempt;
  const timestamp = Math.floor(attempt.startedAt.getTime() / 1_000);
  const signed = { secret, timestamp, eventId: command.eventId, body: command.body };
  const { traceparent } = injectTrace();
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-svc-event': command.event,
    ...(command.isTest && { 'x-svc-test': 'true' }),
    'x-svc-subscription-id': command.subscriptionId,
    ...(command.number !== undefined && { 'x-svc-number': command.number }),
    'x-svc-delivery-id': attempt.attemptId,
    'x-svc-timestamp': String(timestamp),
    'x-svc-secret-version': String(command.secretVersion),
    'x-svc-signature': serviceSignature(signed),
    'webhook-id': command.eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standardWebhooksSignature(signed),
    ...(traceparent !== undefined && { traceparent }),
  };
}
