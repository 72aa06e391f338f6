import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import {
  subscription,
  subscriptionChange,
  subscriptionIn,
  subscriptionList,
} from '../../resources/subscription/subscription.js';

/** Lists the webhooks of a company with their whole URLs, oldest first; the lists of owners shorten them. */
export const listWholeWebhooksOperation = defineInternalOperation({
  id: 'listWholeWebhooks',
  repeatable: true,
  input: z.object({}),
  output: subscriptionList
    .extend({
      // Release 0.2.0 sends none of these fields.
      subscriptions: z.array(
        subscription.extend({
          fields: subscription.shape.fields.default(null),
          ordered: subscription.shape.ordered.default(false),
          asymmetricSignature: subscription.shape.asymmetricSignature.default(false),
        }),
      ),
    })
    .meta({ id: 'WholeWebhooks' }),
});

const read = { id: z.string(), updatedAt: z.iso.datetime() };

/**
 * Applies one difference between a configuration file and the webhooks of a company (decisions CONFIG-3 to CONFIG-5). A creation fails with
 * `invalid_argument` if another webhook has the description, and no one gets the secret. A change and a deletion fail with `stale_version` if
 * the webhook was changed since it was read.
 */
export const configureWebhookOperation = defineInternalOperation({
  id: 'configureWebhook',
  // A repeated creation fails: the description is taken.
  repeatable: false,
  input: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('create'),
      webhook: subscriptionIn.extend({ deliveriesPerSecond: subscriptionChange.shape.deliveriesPerSecond }),
    }),
    z.object({ kind: z.literal('change'), ...read, change: subscriptionChange }),
    z.object({ kind: z.literal('delete'), ...read }),
  ]),
  output: z.object({ id: z.string() }),
});
