import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { shortUrl } from '../../values/short-url.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';
import { configuredOf } from './plan-webhooks.js';
import {
  DIFFERENCE_EXAMPLE,
  PROPOSAL_EXAMPLE,
  PROPOSAL_LIMITS,
  webhookFile,
  webhookPlan,
  webhookPlanIn,
  webhookProposal,
  webhookProposalConfirmationIn,
  webhookProposalConfirmed,
  webhookProposalDetail,
  webhookProposalIn,
  webhookProposalList,
} from './webhook-proposal.js';

const FILE_EXAMPLE = {
  webhooks: [
    {
      url: SUBSCRIPTION_EXAMPLE.url,
      events: ['install.*'],
      description: 'Dispatch board',
      deliveriesPerSecond: 20,
    },
  ],
} satisfies z.input<typeof webhookPlanIn>;
/** 50 webhooks with long addresses and lists. */
const FILE_BYTES = 262_144;

const PLANNED = {
  description: 'What the file would change, and the proposal of it.',
  schema: webhookPlan,
  example: { differences: [DIFFERENCE_EXAMPLE], unchanged: 0, proposal: PROPOSAL_EXAMPLE },
} as const;

export const exportWebhooksOperation = defineOperation({
  id: 'exportWebhooks',
  method: 'get',
  path: '/automation/v1/webhook-file',
  scope: 'webhooks:propose',
  summary: 'Write the webhooks as a file',
  description: `
Returns the webhooks of the company as \`planWebhooks\` takes them. It has neither secrets nor custom headers, and not whether a webhook is
active. URLs are shortened as in lists: such a one stays as it is.`,
  responses: {
    200: {
      description: 'The webhooks.',
      schema: webhookFile,
      example: {
        webhooks: [configuredOf({ ...SUBSCRIPTION_EXAMPLE, url: shortUrl(SUBSCRIPTION_EXAMPLE.url) })],
      },
    },
  },
});

export const planWebhooksOperation = defineOperation({
  id: 'planWebhooks',
  method: 'post',
  path: '/automation/v1/webhook-file/plan',
  scope: 'webhooks:propose',
  repeatable: true,
  body: webhookPlanIn,
  maxBodyBytes: FILE_BYTES,
  summary: 'Compare a file with the webhooks',
  description: `
Returns what the file would change, without any effect. A webhook is identified by its \`id\`, else by its \`description\`, else by its
\`url\` if one webhook on each side is left with it. What the file leaves out stays. A file has neither secrets nor custom headers. New URLs are
checked as for a new webhook.`,
  bodyExamples: { usual: { summary: 'A file', value: FILE_EXAMPLE } },
  responses: { 200: PLANNED },
});

export const proposeWebhooksOperation = defineOperation({
  id: 'proposeWebhooks',
  method: 'post',
  path: '/automation/v1/webhook-proposals',
  scope: 'webhooks:propose',
  repeatable: true,
  body: webhookProposalIn,
  maxBodyBytes: FILE_BYTES,
  summary: 'Propose the webhooks of a file',
  description: `
Files what the file would change for an owner, who is notified by email and confirms or rejects it in the console within ${PROPOSAL_LIMITS.days} days. Nothing
changes before. A key has one pending proposal: the same file again leaves it as it is, another file takes its place, and one that would change
nothing withdraws it.`,
  bodyExamples: {
    usual: {
      summary: 'A file',
      value: { ...FILE_EXAMPLE, source: PROPOSAL_EXAMPLE.source } satisfies z.input<typeof webhookProposalIn>,
    },
  },
  responses: { 200: PLANNED },
});

const PROPOSAL_ID = {
  id: {
    description: 'The `id` of a proposal of your company. Any other is 404.',
    example: PROPOSAL_EXAMPLE.id,
  },
};

export const listWebhookProposalsOperation = defineOperation({
  id: 'listWebhookProposals',
  method: 'get',
  path: '/partner-api/webhook-proposals',
  summary: 'List proposals',
  description: `Lists the newest ${PROPOSAL_LIMITS.listed} proposals of webhooks by API keys, newest first.`,
  responses: {
    200: {
      description: 'The proposals.',
      schema: webhookProposalList,
      example: { proposals: [PROPOSAL_EXAMPLE] },
    },
  },
});

export const getWebhookProposalOperation = defineOperation({
  id: 'getWebhookProposal',
  method: 'get',
  path: '/partner-api/webhook-proposals/:id',
  params: PROPOSAL_ID,
  summary: 'Read a proposal',
  description:
    'Reads one proposal, with what it would change now, and how that differs from when it was filed.',
  responses: {
    200: {
      description: 'The proposal.',
      schema: webhookProposalDetail,
      example: {
        ...PROPOSAL_EXAMPLE,
        ...{ differences: [DIFFERENCE_EXAMPLE], changedSince: [], settledSince: [], problems: [] },
        digest: 'kX9v0b2qWm4c7sTnLr1yHf6uJp3eZd8aQg5iVo2tBxM',
      },
    },
  },
  errors: ['not_found'],
});

export const confirmWebhookProposalOperation = defineOperation({
  id: 'confirmWebhookProposal',
  method: 'post',
  path: '/partner-api/webhook-proposals/:id/confirm',
  params: PROPOSAL_ID,
  body: webhookProposalConfirmationIn,
  summary: 'Confirm a proposal',
  description: `
Makes all of its changes, or none. The checks are those of a change by hand. Secrets of new webhooks are shown only in this response. If the
differences are not those of the \`digest\` any more, or the proposal is not pending, it is \`stale_version\`: read it again.`,
  bodyExamples: {
    usual: {
      summary: 'The digest of the differences',
      value: { digest: 'kX9v0b2qWm4c7sTnLr1yHf6uJp3eZd8aQg5iVo2tBxM' },
    },
  },
  needsConfirmation: () => true,
  responses: {
    200: {
      description: 'The confirmed proposal.',
      schema: webhookProposalConfirmed,
      example: {
        proposal: {
          ...PROPOSAL_EXAMPLE,
          ...{ state: 'confirmed', decidedAt: '2026-08-26T15:10:12.000Z', decidedBy: 'Dana Whitfield' },
        },
        created: [],
      },
    },
  },
  errors: ['not_found', 'stale_version', 'subscription_limit_reached'],
});

export const rejectWebhookProposalOperation = defineOperation({
  id: 'rejectWebhookProposal',
  method: 'post',
  path: '/partner-api/webhook-proposals/:id/reject',
  params: PROPOSAL_ID,
  repeatable: true,
  summary: 'Reject a proposal',
  description: 'Rejects a pending proposal. Nothing changes; its key can propose again.',
  responses: {
    200: {
      description: 'The proposal.',
      schema: webhookProposal,
      example: {
        ...PROPOSAL_EXAMPLE,
        ...{ state: 'rejected', decidedAt: '2026-08-26T15:10:12.000Z', decidedBy: 'Dana Whitfield' },
      },
    },
  },
  errors: ['not_found', 'stale_version'],
});
