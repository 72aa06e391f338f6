import { z } from 'zod';
import type { oas31, ZodOpenApiPathItemObject } from 'zod-openapi';
import { LIMITS } from '../api/limits.js';
import { SIGNATURE_SCHEME } from '../api/versions.js';
import { EVENT_CATALOGUE, type EventName, isEventName } from '../resources/event-catalogue/catalogue.js';
import { envelopeOf, webhookExample } from '../resources/event-catalogue/webhook-events.js';
import { SUBSCRIPTION_EXAMPLE } from '../resources/subscription/subscription.js';
import { pascalCase } from './pascal-case.js';

export const WEBHOOK_TAG = {
  name: 'Webhooks',
  description:
    'The requests that your server receives for each event. See "Receiving webhooks" and "Verifying a webhook".',
};

const SENT_AT = '1788438667';

function header(id: string, description: string, example: string) {
  return z.string().meta({ description, param: { id, example } });
}

const HEADERS = z.object({
  'x-svc-event': header(
    'WebhookEventName',
    'The name of the event, as in the body.',
    'install.status_changed',
  ),
  'x-svc-test': z
    .literal('true')
    .optional()
    .meta({
      description: 'Only on a test delivery: nothing happened, and the data can be an example.',
      param: { id: 'WebhookTest', example: 'true' },
    }),
  'x-svc-subscription-id': header(
    'WebhookSubscriptionId',
    'The webhook subscription. Read its manifest by it.',
    SUBSCRIPTION_EXAMPLE.id,
  ),
  'x-svc-number': z
    .string()
    .optional()
    .meta({
      description:
        "The event's number among those of the webhook: from 1, without gaps, the same in every attempt and replay. Not on a test.",
      param: { id: 'WebhookNumber', example: '417' },
    }),
  'x-svc-delivery-id': header(
    'WebhookDeliveryId',
    'New in each attempt. You can find the delivery by it in the console.',
    'dlv_01k3jd7s3bf9m2t6xz8ea0q4hv',
  ),
  'x-svc-timestamp': header(
    'WebhookTimestamp',
    `When this attempt was signed, in seconds since 1970. Refuse one that is more than ${LIMITS.webhookTimestampToleranceSeconds} seconds off.`,
    SENT_AT,
  ),
  'x-svc-secret-version': header('WebhookSecretVersion', 'The version of the secret that signed it.', '1'),
  'x-svc-signature': header(
    'WebhookSignature',
    `\`${SIGNATURE_SCHEME}=\` and the lower-case hex of HMAC-SHA256 over the timestamp, a dot and the raw body.`,
    'v1=6f0c3d0a4b7a56fbd2f9b5d3c0f1f0d7c5a1b2de4f8a9c3e7d6b5a4938271605',
  ),
  'webhook-id': header(
    'StandardWebhookId',
    'The id of the event (Standard Webhooks).',
    webhookExample('install.status_changed').id,
  ),
  'webhook-timestamp': header('StandardWebhookTimestamp', 'The same as `x-svc-timestamp`.', SENT_AT),
  'webhook-signature': header(
    'StandardWebhookSignature',
    '`v1,` and base64 of HMAC-SHA256 over id, timestamp and body, separated by dots, with the decoded secret (Standard Webhooks). With `asymmetricSignature`, followed by a space, `v1a,` and an Ed25519 signature of the same.',
    'v1,Zd9w1m4l8b0Vn3c7T2x5Qk6Rj9s0Yf1Ua8Ee4Ho2Pig=',
  ),
  traceparent: z
    .string()
    .optional()
    .meta({
      description: 'The W3C trace that the event belongs to.',
      param: { id: 'WebhookTraceParent', example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    }),
});

export function webhookItems(): Record<string, ZodOpenApiPathItemObject> {
  return Object.fromEntries(
    Object.keys(EVENT_CATALOGUE)
      .filter(isEventName)
      .map((event) => [event, webhookItem(event)]),
  );
}

/** The body of any event; `event` is the discriminator. */
export function webhookUnion(): oas31.SchemaObject {
  const references = Object.keys(EVENT_CATALOGUE).map(
    (event) => [event, `#/components/schemas/${pascalCase(event)}Event`] as const,
  );
  return {
    description:
      'The body of any webhook. Accept an `event` that is not in this list: new ones come without a new version.',
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'event', mapping: Object.fromEntries(references) },
  };
}

function webhookItem(event: EventName): ZodOpenApiPathItemObject {
  const { meaning, classes } = EVENT_CATALOGUE[event];
  const name = pascalCase(event);
  const data = EVENT_CATALOGUE[event].data.meta({
    id: `${name}Data`,
    description: `The data of \`${event}\`.`,
  });
  const envelope = envelopeOf(event)
    .extend({ data })
    .meta({ id: `${name}Event`, description: `The body of \`${event}\`.` });
  return {
    post: {
      operationId: `on${name}`,
      summary: event,
      description:
        `Sent when: ${meaning}. For companies of class ` +
        `${classes.map((companyClass) => companyClass.toLowerCase()).join(', ')}.`,
      tags: [WEBHOOK_TAG.name],
      security: [],
      requestParams: { header: HEADERS },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: envelope, example: webhookExample(event) } },
      },
      responses: {
        '2XX': {
          description: `You have stored the event safely. Respond within ${LIMITS.webhookTimeoutMs / 1_000} seconds; the body is ignored.`,
        },
        default: {
          description:
            'Any other status, a redirect, a timeout or a TLS failure: the attempt has failed and is retried later.',
        },
      },
    },
  };
}
