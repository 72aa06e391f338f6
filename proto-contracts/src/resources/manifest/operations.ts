import { defineOperation, type ResponseHeader } from '../../api/operation.js';
import { versioned } from '../../values/api-version.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';
import { MANIFEST_EXAMPLE, manifest, manifestQuery } from './manifest.js';

const reading = {
  method: 'get',
  scope: 'events:read',
  params: {
    id: {
      description:
        'The `x-svc-subscription-id` of a delivery: a webhook subscription of your company. Any other is 404.',
      example: SUBSCRIPTION_EXAMPLE.id,
    },
  },
  query: manifestQuery,
  summary: 'Read the manifest of a webhook',
  description: `
Lists the events that were queued to a webhook in a span of time, each once: its number, its id and its outcome. Compare them with
those that your server has stored, and have the others sent again by their ids.

- **Numbers:** each event that a webhook gets has the next number, from 1. Every attempt and replay repeats it, as \`x-svc-number\`. A filter or
  a pause leaves no gap. A number that no manifest has belongs to an event that was withdrawn before it was sent.
- **When:** a span is complete a minute after its end. Events can still be in a retry: see \`outcome\`.
- **Back-fills:** an event of a pause is part of the span in which it was queued.
- **Signature:** the headers and the raw body of the response go through the code that verifies your webhooks. The secret is \`whsec_\` and
  the base64 of your API key.`,
  errors: ['not_found', 'cursor_invalid'],
} as const;

const header = (description: string, example: string): ResponseHeader => ({
  description,
  example,
  required: true,
});

const SIGNED = {
  'x-svc-timestamp': header('When this response was signed, in Unix seconds.', '1788021612'),
  'x-svc-signature': header(
    '`v1=` and the lowercase hex HMAC-SHA256.',
    'v1=7c5f0a8f0f0f2b9b3e4f4f5f4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a',
  ),
  'webhook-id': header('The id of the webhook subscription.', SUBSCRIPTION_EXAMPLE.id),
  'webhook-timestamp': header('The same as `x-svc-timestamp`.', '1788021612'),
  'webhook-signature': header(
    'The Standard Webhooks signature.',
    'v1,fF8KjwWkM2u0ZkqT3l1xq8m3o1l7pRkq4c2ZzQ0m8eY=',
  ),
} as const;

const page = {
  description: 'A page of the manifest.',
  headers: SIGNED,
  schema: manifest,
  example: MANIFEST_EXAMPLE,
};

export const getInstallerManifestOperation = defineOperation({
  ...reading,
  id: 'getInstallerManifest',
  path: '/partner/v1/webhooks/:id/manifest',
  responses: { 200: versioned(page, 'VersionedWebhookManifest') },
});

export const getInboundManifestOperation = defineOperation({
  ...reading,
  id: 'getInboundManifest',
  path: '/inbound/webhooks/:id/manifest',
  responses: { 200: page },
});
