import { z } from 'zod';

export const webhookSender = z
  .object({
    egressAddresses: z.array(z.string()).meta({
      description:
        'The ranges that webhooks come from, as CIDR. Empty: the operator of the service names none.',
    }),
  })
  .meta({ id: 'WebhookSender', description: 'Where webhooks come from.' });

export const webhookKeys = z
  .object({
    keys: z
      .array(
        z
          .object({
            publicKey: z
              .string()
              .meta({ description: 'The Ed25519 public key: `whpk_` and the base64 of 32 bytes.' }),
            signs: z.boolean().meta({ description: 'Whether the service signs with it now.' }),
          })
          .meta({ id: 'WebhookKey', description: 'A public key of one webhook.' }),
      )
      .meta({ description: 'Empty: the service has no asymmetric signatures.' }),
  })
  .meta({ id: 'WebhookKeys', description: 'The public keys of one webhook.' });

export type WebhookKeys = z.infer<typeof webhookKeys>;
