import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';
import { webhookKeys, webhookSender } from './webhook-sender.js';

export const getWebhookSenderOperation = defineOperation({
  id: 'getWebhookSender',
  method: 'get',
  path: '/.well-known/webhooks',
  unauthenticated: true,
  summary: 'Read where webhooks come from',
  description:
    'Lists the addresses for your firewall. They can change: read them regularly, and verify signatures in any case. It needs no session, and caches may keep it for 5 minutes.',
  responses: {
    200: {
      description: 'The addresses.',
      schema: webhookSender,
      example: { egressAddresses: ['192.0.2.10/32', '2001:db8:7::/64'] } satisfies z.input<
        typeof webhookSender
      >,
    },
  },
});

export const getWebhookKeysOperation = defineOperation({
  id: 'getWebhookKeys',
  method: 'get',
  path: '/.well-known/webhooks/:id',
  unauthenticated: true,
  isCounted: true,
  params: {
    id: {
      description: 'The id of a webhook. The response does not tell whether it exists.',
      example: SUBSCRIPTION_EXAMPLE.id,
    },
  },
  summary: 'Read the public keys of a webhook',
  description: `
Lists the keys that verify the asymmetric signatures of this webhook, and of no other one. It needs no session, and caches may keep it for 5 minutes.

While the service replaces its keys, there is one more key than the one that signs: the next one or the former one. Accept each of them, and read the list again after 5 minutes.`,
  responses: {
    200: {
      description: 'The public keys.',
      schema: webhookKeys,
      example: {
        keys: [{ publicKey: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', signs: true }],
      } satisfies z.input<typeof webhookKeys>,
    },
  },
  errors: ['not_found'],
});
