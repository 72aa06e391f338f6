import { z } from 'zod';

export const webhookSender = z
  .object({
    egressAddresses: z.array(z.string()).meta({
      description:
        'The ranges that webhooks come from, as CIDR. Empty: the operator of the service names none.',
    }),
  })
  .meta({ id: 'WebhookSender', description: 'Where webhooks come from.' });
