import { z } from 'zod';
import { WEBHOOK_LIMITS } from '../../api/limits.js';
import { subscriptionChange, subscriptionIn } from '../subscription/subscription.js';

/** A webhook as a file has it. It has no secrets and no headers, whose values are secrets. */
const configuredWebhook = z
  .strictObject({
    id: z
      .string()
      .startsWith('whk_', 'must be the id of a webhook, whk_…')
      .optional()
      .meta({ description: 'The webhook that this is about, whatever its description is.' }),
    ...subscriptionIn.shape,
    description: subscriptionIn.shape.description.meta({
      description: 'Identifies a webhook without an `id`, which must have one.',
    }),
    deliveriesPerSecond: subscriptionChange.shape.deliveriesPerSecond,
  })
  .refine(({ id, description = '' }) => id !== undefined || description !== '', {
    path: ['description'],
    message: 'is required: it identifies a webhook without an id',
  })
  .meta({
    id: 'ConfiguredWebhook',
    description: 'A webhook as a file has it. Fields that it leaves out stay as they are.',
  });

/** A webhook as a file has it; undefined fields stay as they are. */
export type ConfiguredWebhook = z.infer<typeof configuredWebhook>;

/** The webhooks of one company in a file. No two are identified in the same way. */
export const configuredWebhooks = z
  .array(configuredWebhook)
  .max(WEBHOOK_LIMITS.subscriptionsPerCompany)
  .superRefine((webhooks, context) => {
    for (const name of ['id', 'description'] as const) {
      const seen = new Set<string>();
      for (const [index, webhook] of webhooks.entries()) {
        const value = webhook[name];
        // An id identifies the webhook, whatever its description is.
        if (value === undefined || (name === 'description' && webhook.id !== undefined)) continue;
        if (seen.has(value))
          context.addIssue({
            code: 'custom',
            path: [index, name],
            message: 'must differ from that of an earlier webhook of the company in this file',
          });
        seen.add(value);
      }
    }
  });
