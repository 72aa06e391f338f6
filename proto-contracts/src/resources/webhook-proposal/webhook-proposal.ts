import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { subscription, SUBSCRIPTION_EXAMPLE, subscriptionCreated } from '../subscription/subscription.js';
import { configuredWebhooks } from './configured-webhook.js';

export const PROPOSAL_LIMITS = {
  /** How long an owner can confirm a proposal. */
  days: 7,
  listed: 50,
} as const;

const { id, description, url, events, schemaVersion, fields, ordered, asymmetricSignature } =
  subscription.shape;

/** What an export has of a webhook: the same as `configuredOf` returns. */
const exportedWebhook = z
  .object({
    ...{ id, description, url, events, schemaVersion },
    deliveriesPerSecond: z.int().optional().meta({ description: 'The rate; absent without one.' }),
    fields: fields.unwrap().optional().meta({
      description: 'For events or groups, the fields of which one must have changed; absent without any.',
    }),
    ordered: ordered.optional(),
    asymmetricSignature: asymmetricSignature.optional(),
  })
  .meta({ id: 'ExportedWebhook', description: 'A webhook as a file has it.' });

export const webhookFile = z
  .object({ webhooks: z.array(exportedWebhook).meta({ description: 'All of them, oldest first.' }) })
  .meta({ id: 'WebhookFile', description: 'The webhooks of your company as a file.' });

export const webhookPlanIn = z
  .strictObject({
    webhooks: configuredWebhooks.meta({ description: 'The webhooks, at most 50.' }),
    prune: z.boolean().optional().meta({
      description: 'True: webhooks that the file does not have are to be deleted. Otherwise they stay.',
    }),
  })
  .meta({ id: 'WebhookPlanIn', description: 'The webhooks that your company should have.' });

export const webhookProposalIn = webhookPlanIn
  .extend({
    source: z.string().max(200).optional().meta({
      description:
        'Where the file is from, for the owner who decides: for example, a repository and a commit.',
    }),
  })
  .meta({ id: 'WebhookProposalIn', description: 'The webhooks that your company should have.' });

const webhookDifference = z
  .object({
    kind: z.enum(['create', 'change', 'delete', 'unlisted']).meta({
      description: '`unlisted`: the webhook is not in the file, and stays. `delete`: the same, with `prune`.',
    }),
    webhookId: z.string().nullable().meta({ description: 'The webhook; null for one to create.' }),
    description: z
      .string()
      .meta({ description: 'The present one; of a webhook to create, that of the file.' }),
    changes: z
      .array(
        z
          .object({
            field: z.string().meta({ description: 'The field.' }),
            from: z
              .string()
              .nullable()
              .meta({ description: 'The present value; null if there is none yet.' }),
            to: z.string().nullable().meta({ description: 'The wanted value; null for one that ends.' }),
          })
          .meta({ id: 'WebhookFieldChange', description: 'A changed field, with its values in words.' }),
      )
      .meta({ description: 'The changed fields.' }),
    pauses: z.boolean().optional().meta({
      description:
        'True: the webhook has another URL, so it pauses until that is tested and it is activated.',
    }),
  })
  .meta({ id: 'WebhookDifference', description: 'What a file would change about one webhook.' });

export type WebhookDifference = z.infer<typeof webhookDifference>;

const differences = z
  .array(webhookDifference)
  .meta({ description: 'What the file would change now, in its order.' });

export const webhookProposal = z
  .object({
    id: z.string().meta({ description: 'The id of the proposal.' }),
    state: z.enum(['pending', 'confirmed', 'rejected', 'expired']).meta({
      description: `\`pending\`: an owner can confirm it, for ${PROPOSAL_LIMITS.days} days.`,
    }),
    keyId: z.string().meta({ description: 'The API key that proposed it.' }),
    source: z.string().nullable().meta({ description: 'Where the file is from; null if it was not said.' }),
    createdAt: dateTimeOut.meta({ description: 'When the key proposed these webhooks.' }),
    expiresAt: dateTimeOut.meta({ description: 'Until when an owner can confirm it.' }),
    decidedAt: dateTimeOut.nullable().meta({ description: 'When it was confirmed or rejected.' }),
    decidedBy: z.string().nullable().meta({ description: 'The name of the owner who decided.' }),
    consolePath: z.string().meta({ description: 'The path of its page in the console.' }),
  })
  .meta({
    id: 'WebhookProposal',
    description: 'A file that waits, or waited, for an owner of your company.',
  });

export type WebhookProposal = z.infer<typeof webhookProposal>;

export const webhookPlan = z
  .object({
    differences,
    unchanged: z.int().meta({ description: 'Webhooks of the file without a difference.' }),
    proposal: webhookProposal.nullable().meta({
      description:
        'The newest proposal of the same webhooks by this key, unless it is confirmed; null without one.',
    }),
  })
  .meta({ id: 'WebhookPlan', description: 'What a file would change.' });

export type WebhookPlan = z.infer<typeof webhookPlan>;

export const webhookProposalList = z
  .object({
    proposals: z
      .array(webhookProposal)
      .meta({ description: `Newest first, at most ${PROPOSAL_LIMITS.listed}.` }),
  })
  .meta({ id: 'WebhookProposals', description: 'The newest proposals of the company.' });

export const webhookProposalDetail = webhookProposal
  .extend({
    differences,
    changedSince: z.array(webhookDifference).meta({
      description:
        'Those of `differences` that differ from what the file would have changed when it was filed.',
    }),
    settledSince: z.array(webhookDifference).meta({
      description: 'What the file would have changed when it was filed, and does not any more.',
    }),
    problems: z
      .array(z.string())
      .meta({ description: 'Why the file cannot be applied now; then it cannot be confirmed.' }),
    digest: z.string().meta({ description: 'Identifies the differences, for the confirmation.' }),
  })
  .meta({
    id: 'WebhookProposalDetail',
    description:
      'A proposal with what it would change now. Of one that is decided, what it would have changed then.',
  });

export type WebhookProposalDetail = z.infer<typeof webhookProposalDetail>;

export const webhookProposalConfirmationIn = z
  .object({
    digest: z.string().max(100).meta({ description: 'The `digest` of the differences that you saw.' }),
  })
  .meta({ id: 'WebhookProposalConfirmationIn', description: 'What you confirm.' });

export const webhookProposalConfirmed = z
  .object({
    proposal: webhookProposal,
    created: z.array(subscriptionCreated).meta({ description: 'The new webhooks, which start paused.' }),
  })
  .meta({
    id: 'WebhookProposalConfirmed',
    description: 'A confirmed proposal and the secrets of new webhooks.',
  });

export type WebhookProposalConfirmed = z.infer<typeof webhookProposalConfirmed>;

export const PROPOSAL_EXAMPLE = {
  id: 'wpr_01k3h5d8vqf2mw7x0r4tn6ysbe',
  state: 'pending',
  keyId: 'key_01k3h5d8vqf2mw7x0r4tn6ysbe',
  source: 'sunny/integration@4f2c1e7',
  createdAt: '2026-08-26T14:03:00.000Z',
  expiresAt: '2026-09-02T14:03:00.000Z',
  decidedAt: null,
  decidedBy: null,
  consolePath: '/console/webhooks/proposals/wpr_01k3h5d8vqf2mw7x0r4tn6ysbe',
} as const satisfies WebhookProposal;

export const DIFFERENCE_EXAMPLE: WebhookDifference = {
  kind: 'change',
  webhookId: SUBSCRIPTION_EXAMPLE.id,
  description: SUBSCRIPTION_EXAMPLE.description,
  changes: [{ field: 'deliveriesPerSecond', from: 'none', to: '20' }],
  pauses: false,
};
