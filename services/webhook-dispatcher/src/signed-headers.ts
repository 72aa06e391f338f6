import {
  HEADERS_VERSION,
  openSecret,
  type SealingKeys,
  PRIVATE_KEY_VERSION,
} from '@partner/kernel/security/secret-sealing';
import { asymmetricSignature } from '@partner/kernel/security/signing-keys';
import { serviceSignature, standardWebhooksSignature } from '@partner/kernel/security/webhook-signature';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import {
  customHeaders,
  type CustomHeaders,
} from '@partner/proto-contracts/resources/subscription/custom-headers';
import type { DeliveryCommand } from './read-delivery-command.js';

const USER_AGENT = 'partner-integration-service-webhooks/1.0';

export interface OpenedSecrets {
  readonly secret: string;
  readonly headers: CustomHeaders;
  readonly privateKey: string | undefined;
}

/** Opens the secret, the custom headers and the private key of a command. Throws if a key is missing or a value was changed. */
export function openSecrets(keys: SealingKeys, command: DeliveryCommand): OpenedSecrets {
  const {
    subscriptionId: ownerId,
    secretVersion: version,
    sealedSecret,
    sealedHeaders,
    sealedPrivateKey,
  } = command;
  const headers = sealedHeaders && openSecret(keys, { ownerId, version: HEADERS_VERSION }, sealedHeaders);
  return {
    secret: openSecret(keys, { ownerId, version }, sealedSecret),
    headers: headers === undefined ? {} : customHeaders.parse(JSON.parse(headers)),
    privateKey:
      sealedPrivateKey && openSecret(keys, { ownerId, version: PRIVATE_KEY_VERSION }, sealedPrivateKey),
  };
}

/** Returns the headers of one attempt (spec: Delivery), except those that the connection sets. No custom header replaces one of these. */
export function signedHeaders(attempt: {
  readonly command: DeliveryCommand;
  readonly secrets: OpenedSecrets;
  readonly attemptId: string;
  readonly startedAt: Date;
}): Record<string, string> {
  const { command, secrets } = attempt;
  const timestamp = Math.floor(attempt.startedAt.getTime() / 1_000);
  const signed = { secret: secrets.secret, timestamp, eventId: command.eventId, body: command.body };
  const asymmetric =
    secrets.privateKey === undefined ? '' : ` ${asymmetricSignature(secrets.privateKey, signed)}`;
  const { traceparent } = injectTrace();
  return {
    ...secrets.headers,
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
    'webhook-signature': standardWebhooksSignature(signed) + asymmetric,
    ...(traceparent !== undefined && { traceparent }),
  };
}
