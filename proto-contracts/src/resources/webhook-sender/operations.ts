import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { webhookSender } from './webhook-sender.js';

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
