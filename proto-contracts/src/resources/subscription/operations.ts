import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { WEBHOOK_LIMITS } from '../../api/limits.js';
import {
  SUBSCRIPTION_EXAMPLE,
  SUBSCRIPTION_ID,
  activationIn,
  secretActivationIn,
  secretRotated,
  subscription,
  subscriptionActivated,
  subscriptionChange,
  subscriptionCreated,
  subscriptionIn,
  subscriptionList,
} from './subscription.js';

const NEW_SUBSCRIPTION_EXAMPLE = {
  ...SUBSCRIPTION_EXAMPLE,
  state: 'paused',
  verified: false,
  headerNames: [],
  updatedAt: SUBSCRIPTION_EXAMPLE.createdAt,
} as const satisfies z.infer<typeof subscription>;

export const createWebhookOperation = defineOperation({
  id: 'createWebhook',
  method: 'post',
  path: '/partner-api/webhooks',
  body: subscriptionIn,
  maxBodyBytes: 16_384,
  summary: 'Create a subscription',
  description: `
Creates a subscription, which starts paused. Its secret is shown only in this response. Then send it a test delivery, and
activate it once your server has accepted that with 2xx.

A company can have ${WEBHOOK_LIMITS.subscriptionsPerCompany} subscriptions; one more is refused with
\`subscription_limit_reached\`.

The host of the \`url\` is resolved now and for every delivery: if one of its addresses is not public, it is refused.`,
  bodyExamples: {
    installation: {
      summary: 'All installation events',
      value: {
        url: SUBSCRIPTION_EXAMPLE.url,
        events: ['install.*'],
        description: SUBSCRIPTION_EXAMPLE.description,
      } satisfies z.input<typeof subscriptionIn>,
    },
  },
  needsConfirmation: () => true,
  responses: {
    201: {
      description: 'The subscription and its secret.',
      schema: subscriptionCreated,
      example: {
        subscription: NEW_SUBSCRIPTION_EXAMPLE,
        secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=',
      },
      headers: {
        Location: {
          description: 'The path of the subscription.',
          example: `/partner-api/webhooks/${NEW_SUBSCRIPTION_EXAMPLE.id}`,
          required: true,
        },
      },
    },
  },
  errors: ['subscription_limit_reached'],
});

export const listWebhooksOperation = defineOperation({
  id: 'listWebhooks',
  method: 'get',
  path: '/partner-api/webhooks',
  summary: 'List subscriptions',
  description: "Lists all subscriptions of the owner's company, oldest first. Secrets are not shown.",
  responses: {
    200: {
      description: 'The subscriptions.',
      schema: subscriptionList,
      example: { subscriptions: [SUBSCRIPTION_EXAMPLE] },
    },
  },
});

export const getWebhookOperation = defineOperation({
  id: 'getWebhook',
  method: 'get',
  path: '/partner-api/webhooks/:id',
  params: SUBSCRIPTION_ID,
  summary: 'Read a subscription',
  description: 'Reads one subscription of the company.',
  responses: {
    200: { description: 'The subscription.', schema: subscription, example: SUBSCRIPTION_EXAMPLE },
  },
  errors: ['not_found'],
});

export const updateWebhookOperation = defineOperation({
  id: 'updateWebhook',
  repeatable: true,
  method: 'patch',
  path: '/partner-api/webhooks/:id',
  params: SUBSCRIPTION_ID,
  body: subscriptionChange,
  maxBodyBytes: 32_768,
  summary: 'Change a subscription',
  description: `
Changes the fields of the body and keeps the others. The checks are those of the creation.

With another \`url\` the subscription is no longer verified, and an active one becomes paused: send a test delivery, and
activate it once your server has accepted that with 2xx. If that URL has accepted a test within the last ${WEBHOOK_LIMITS.testedUrlMinutes} minutes
(\`url\` of \`testWebhook\`), signed with the current secret, the subscription is verified and its state stays. Waiting deliveries
go to the new URL.

The values of custom headers never reach another host. If the \`url\` has another host, \`headers\` must name every stored header, with its
value for that host or with null; otherwise the request is 400 and names them.

Attempts from now on have the changed \`headers\`, tests too. With \`deliveriesPerSecond\` attempts start at that rate, in bursts of at most a
quarter of a second's worth; the others wait in their order.`,
  bodyExamples: {
    events: {
      summary: 'Other events',
      value: {
        events: ['install.job_assigned', 'install.status_changed'],
      } satisfies z.input<typeof subscriptionChange>,
    },
    url: {
      summary: 'Another address',
      value: { url: 'https://hooks.sunny.example/partner/v2' } satisfies z.input<typeof subscriptionChange>,
    },
    headers: {
      summary: 'Custom headers',
      value: {
        headers: [
          { name: 'Authorization', value: 'Bearer bXktZ2F0ZXdheQ' },
          { name: 'x-former', value: null },
        ],
      } satisfies z.input<typeof subscriptionChange>,
    },
    rate: {
      summary: 'At most 20 deliveries per second',
      value: { deliveriesPerSecond: 20 } satisfies z.input<typeof subscriptionChange>,
    },
  },
  needsConfirmation: ({ url, headers }) => url !== undefined || headers !== undefined,
  responses: {
    200: {
      description: 'The subscription after the change.',
      schema: subscription,
      example: {
        ...SUBSCRIPTION_EXAMPLE,
        events: ['install.job_assigned', 'install.status_changed'],
        updatedAt: '2026-09-02T09:15:40.118Z',
      },
    },
  },
  errors: ['not_found'],
});

export const deleteWebhookOperation = defineOperation({
  id: 'deleteWebhook',
  repeatable: true,
  method: 'delete',
  path: '/partner-api/webhooks/:id',
  params: SUBSCRIPTION_ID,
  summary: 'Delete a subscription',
  description: `
Deletes the subscription and its secrets permanently. Its unfinished deliveries are canceled; an attempt in flight
finishes.`,
  needsConfirmation: () => true,
  responses: { 204: { description: 'Deleted.' } },
  errors: ['not_found'],
});

export const activateWebhookOperation = defineOperation({
  id: 'activateWebhook',
  repeatable: true,
  method: 'post',
  path: '/partner-api/webhooks/:id/activate',
  params: SUBSCRIPTION_ID,
  body: activationIn,
  summary: 'Activate a subscription',
  description: `
From now on new events are queued, and held deliveries continue. The current URL needs a test delivery that your server
has accepted with 2xx. \`test_delivery_required\` is also the response while no one has the secret that would sign deliveries: if it was
never shown, rotate it; if only a pending secret has signed an accepted test, activate that secret first.

With \`backfill\` the events since the pause are queued too, or those since the creation of a subscription that was never
active. An active subscription stays unchanged, and no back-fill starts: \`backfillId\` then names the running one,
if any. The body can be left out.`,
  bodyExamples: {
    fromNow: { summary: 'From now on', value: {} satisfies z.input<typeof activationIn> },
    backfill: {
      summary: 'With the events since the pause',
      value: { backfill: true } satisfies z.input<typeof activationIn>,
    },
  },
  needsConfirmation: () => true,
  responses: {
    200: {
      description: 'The subscription.',
      schema: subscriptionActivated,
      example: { ...SUBSCRIPTION_EXAMPLE, backfillId: null },
    },
  },
  errors: ['not_found', 'test_delivery_required'],
});

export const pauseWebhookOperation = defineOperation({
  id: 'pauseWebhook',
  repeatable: true,
  method: 'post',
  path: '/partner-api/webhooks/:id/pause',
  params: SUBSCRIPTION_ID,
  summary: 'Pause a subscription',
  description: `
Queues no new events until the subscription is activated again. Unfinished deliveries are held; an attempt in flight
finishes. Test deliveries are still sent.`,
  responses: {
    200: {
      description: 'The subscription.',
      schema: subscription,
      example: { ...SUBSCRIPTION_EXAMPLE, state: 'paused', updatedAt: '2026-09-02T09:15:40.118Z' },
    },
  },
  errors: ['not_found'],
});

export const rotateWebhookSecretOperation = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/partner-api/webhooks/:id/rotate-secret',
  params: SUBSCRIPTION_ID,
  summary: 'Rotate the secret',
  description: `
Creates a pending secret with the next version. The secret is shown only in this response. It replaces an earlier pending secret.
Deliveries are still signed with the current one.

A current secret that was never shown (\`secretShown: false\`) is replaced immediately: the new one signs from now on, and none is pending.

Give your server both secrets, each by its version. Verify the new one with a test delivery, then activate it.`,
  needsConfirmation: () => true,
  responses: {
    201: {
      description: 'The pending secret.',
      schema: secretRotated,
      example: {
        subscription: {
          ...SUBSCRIPTION_EXAMPLE,
          pendingSecretVersion: 2,
          updatedAt: '2026-09-02T09:15:40.118Z',
        },
        pendingSecretVersion: 2,
        secret: 'whsec_dnV0c3JxcG9ubWxramloZ2ZlZGNiYTk4NzY1NDMyMTA=',
      },
    },
  },
  errors: ['not_found'],
});

export const activateWebhookSecretOperation = defineOperation({
  id: 'activateWebhookSecret',
  repeatable: true,
  method: 'post',
  path: '/partner-api/webhooks/:id/activate-secret',
  params: SUBSCRIPTION_ID,
  body: secretActivationIn,
  summary: 'Activate a new secret',
  description: `
Signs every attempt from now on with the pending secret. Keep the previous secret for a day: attempts in flight may be signed
with it.

A repeat of the request returns 200 like the first, while the previous secret is kept and you have not rotated again.
Any other version than the pending one, the active one included, is 409.`,
  bodyExamples: {
    pending: {
      summary: 'The pending secret',
      value: { pendingSecretVersion: 2 } satisfies z.input<typeof secretActivationIn>,
    },
  },
  needsConfirmation: () => true,
  responses: {
    200: {
      description: 'The subscription.',
      schema: subscription,
      example: { ...SUBSCRIPTION_EXAMPLE, secretVersion: 2, updatedAt: '2026-09-02T09:21:03.902Z' },
    },
  },
  errors: ['not_found', 'secret_version_mismatch'],
});
