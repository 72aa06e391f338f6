import type { z } from 'zod';
import {
  delivery,
  deliveryPage,
  deliveryQuery,
  deliveryWithAttempts,
  sessionAnswer,
  sessionIn,
  subscription,
  subscriptionCreated,
  subscriptionIn,
  subscriptionList,
} from '../console.js';
import { type AnyOperation, defineOperation } from '../operation.js';
import { CURRENT_SCHEMA_VERSION } from '../versions.js';
import { WEBHOOK_EXAMPLES } from '../examples/webhook-examples.js';

const SESSION_EXAMPLE = {
  owner: { membershipId: 'mem_01jx2n4t8yf1ra6vc3bq9kz5wd', displayName: 'Olive Okafor' },
  company: { id: 'cmp_01jx2m9k3hf7sd0q8xw4vt6nzb', name: 'Sunny Installers', class: 'INSTALLER' },
  expiresAt: '2026-08-27T02:03:00.000Z',
} as const satisfies z.infer<typeof sessionAnswer>;

const SUBSCRIPTION_EXAMPLE = {
  id: 'whk_01k3h5d8vqf2mw7x0r4tn6ysbe',
  url: 'https://hooks.sunny.example/partner',
  description: 'Dispatch board',
  events: ['install.*'],
  schemaVersion: CURRENT_SCHEMA_VERSION,
  state: 'active',
  health: 'healthy',
  secretVersion: 1,
  pendingSecretVersion: null,
  verified: true,
  createdAt: '2026-08-26T14:03:00.000Z',
  updatedAt: '2026-08-26T14:09:21.730Z',
} as const satisfies z.infer<typeof subscription>;

const NEW_SUBSCRIPTION_EXAMPLE = {
  ...SUBSCRIPTION_EXAMPLE,
  state: 'paused',
  verified: false,
  updatedAt: SUBSCRIPTION_EXAMPLE.createdAt,
} as const satisfies z.infer<typeof subscription>;

const EVENT_EXAMPLE = WEBHOOK_EXAMPLES['install.status_changed'];

const DELIVERY_EXAMPLE = {
  id: 'dlv_01k3jd7s2xf5ck9bq0vm4w8ynr',
  subscriptionId: SUBSCRIPTION_EXAMPLE.id,
  eventId: EVENT_EXAMPLE.id,
  event: EVENT_EXAMPLE.event,
  state: 'delivered',
  attempts: 1,
  nextAttemptAt: null,
  createdAt: '2026-09-03T12:31:07.412Z',
  finishedAt: '2026-09-03T12:31:07.690Z',
  resource: { type: EVENT_EXAMPLE.resource.type, id: EVENT_EXAMPLE.resource.id },
} as const satisfies z.infer<typeof delivery>;

const SUBSCRIPTION_ID = {
  id: {
    description: 'The `id` of a subscription of your company. Any other is 404.',
    example: SUBSCRIPTION_EXAMPLE.id,
  },
};

const NO_BODY = 'The request needs no body, but has to say `content-type: application/json`.';

/** `POST /partner-api/session` */
export const createSessionOperation = defineOperation({
  id: 'createSession',
  method: 'post',
  path: '/partner-api/session',
  unauthenticated: true,
  body: sessionIn,
  summary: 'Sign in',
  description: `
Signs an owner in, with a new session, and ends the session that the browser had before. Somebody who owns no company is
403.

A session ends after 30 minutes without a request, and 12 hours after the login at the latest. Failed logins are limited
for each account and each client address.`,
  bodyExamples: {
    owner: {
      summary: 'An owner',
      value: {
        email: 'olive@sunny.example',
        password: 'correct horse battery staple',
      } satisfies z.input<typeof sessionIn>,
    },
  },
  faultExample: { path: 'password', message: 'is required' },
  errorExamples: {
    unauthenticated: { error: 'the email address or the password is wrong' },
    permission_denied: { error: 'only a company owner can use the console' },
    rate_limited: { error: 'too many failed logins; wait before you try again' },
  },
  answers: {
    200: {
      description: 'Signed in.',
      schema: sessionAnswer,
      example: SESSION_EXAMPLE,
      headers: {
        'set-cookie': {
          description: 'The session, for the browser to keep until it closes.',
          example:
            '__Host-svc_session=2mJ0Zs7cQk4rXw1nVb8yTd5fHg3pLa6eUi9oRqK0xZc; Path=/; HttpOnly; SameSite=Strict; Secure',
          required: true,
        },
      },
    },
  },
  errors: ['unauthenticated'],
});

/** `GET /partner-api/session` */
export const getSessionOperation = defineOperation({
  id: 'getSession',
  method: 'get',
  path: '/partner-api/session',
  summary: 'Read the session',
  description: 'Tells who is signed in, for which company, and until when.',
  answers: { 200: { description: 'The session.', schema: sessionAnswer, example: SESSION_EXAMPLE } },
});

/** `DELETE /partner-api/session` */
export const deleteSessionOperation = defineOperation({
  id: 'deleteSession',
  method: 'delete',
  path: '/partner-api/session',
  summary: 'Sign out',
  description: `Ends the session. ${NO_BODY}`,
  answers: {
    204: {
      description: 'Signed out.',
      headers: {
        'set-cookie': {
          description: 'Takes the cookie from the browser.',
          example: '__Host-svc_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
          required: true,
        },
      },
    },
  },
});

/** `POST /partner-api/webhooks` */
export const createWebhookOperation = defineOperation({
  id: 'createWebhook',
  method: 'post',
  path: '/partner-api/webhooks',
  body: subscriptionIn,
  summary: 'Create a subscription',
  description: `
Makes a subscription, which starts paused, and shows its secret for the only time. Then send it a test delivery, and
activate it when that was answered with 2xx.

The host of the \`url\` is looked up now and for every delivery: when one of its addresses is not public, it is refused.`,
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
  faultExample: { path: 'url', message: 'must use port 443' },
  answers: {
    201: {
      description: 'The subscription and its secret.',
      schema: subscriptionCreated,
      example: {
        subscription: NEW_SUBSCRIPTION_EXAMPLE,
        secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=',
      },
    },
  },
});

/** `GET /partner-api/webhooks` */
export const listWebhooksOperation = defineOperation({
  id: 'listWebhooks',
  method: 'get',
  path: '/partner-api/webhooks',
  summary: 'List subscriptions',
  description: "Lists all subscriptions of the owner's company, oldest first. Secrets are not shown.",
  answers: {
    200: {
      description: 'The subscriptions.',
      schema: subscriptionList,
      example: { subscriptions: [SUBSCRIPTION_EXAMPLE] },
    },
  },
});

/** `GET /partner-api/webhooks/{id}` */
export const getWebhookOperation = defineOperation({
  id: 'getWebhook',
  method: 'get',
  path: '/partner-api/webhooks/:id',
  params: SUBSCRIPTION_ID,
  summary: 'Read a subscription',
  description: 'Reads one subscription of the company.',
  answers: { 200: { description: 'The subscription.', schema: subscription, example: SUBSCRIPTION_EXAMPLE } },
  errors: ['not_found'],
});

/** `POST /partner-api/webhooks/{id}/test` */
export const testWebhookOperation = defineOperation({
  id: 'testWebhook',
  method: 'post',
  path: '/partner-api/webhooks/:id/test',
  params: SUBSCRIPTION_ID,
  summary: 'Send a test delivery',
  description: `
Queues an \`install.test\` delivery, also for a paused subscription, and answers with it. Read the delivery to see what came
of it. ${NO_BODY}`,
  answers: {
    202: {
      description: 'The delivery.',
      schema: delivery,
      example: {
        ...DELIVERY_EXAMPLE,
        event: 'install.test',
        state: 'pending',
        attempts: 0,
        nextAttemptAt: DELIVERY_EXAMPLE.createdAt,
        finishedAt: null,
        resource: { type: 'webhook_subscription', id: SUBSCRIPTION_EXAMPLE.id },
      },
    },
  },
  errors: ['not_found'],
});

/** `POST /partner-api/webhooks/{id}/activate` */
export const activateWebhookOperation = defineOperation({
  id: 'activateWebhook',
  method: 'post',
  path: '/partner-api/webhooks/:id/activate',
  params: SUBSCRIPTION_ID,
  summary: 'Activate a subscription',
  description: `
Has new events queued from now on. It needs a test delivery to the present URL that was answered with 2xx. ${NO_BODY}`,
  answers: { 200: { description: 'The subscription.', schema: subscription, example: SUBSCRIPTION_EXAMPLE } },
  errors: ['not_found', 'test_delivery_required'],
});

/** `GET /partner-api/webhooks/{id}/deliveries` */
export const listDeliveriesOperation = defineOperation({
  id: 'listDeliveries',
  method: 'get',
  path: '/partner-api/webhooks/:id/deliveries',
  params: SUBSCRIPTION_ID,
  query: deliveryQuery,
  summary: 'List deliveries',
  description: 'Lists the deliveries of a subscription, newest first.',
  faultExample: { path: 'limit', message: 'must be an integer from 1 to 100' },
  answers: {
    200: {
      description: 'A page of deliveries.',
      schema: deliveryPage,
      example: { deliveries: [DELIVERY_EXAMPLE], nextCursor: null },
    },
  },
  errors: ['not_found', 'cursor_invalid'],
  errorExamples: {
    cursor_invalid: {
      error: 'cursor: must be a nextCursor of this list',
      details: [{ path: 'cursor', message: 'must be a nextCursor of this list' }],
    },
  },
});

/** `GET /partner-api/deliveries/{id}` */
export const getDeliveryOperation = defineOperation({
  id: 'getDelivery',
  method: 'get',
  path: '/partner-api/deliveries/:id',
  params: {
    id: {
      description:
        'The `id` of a delivery of your company, or of one of its attempts: what your server has seen in `x-svc-delivery-id`.',
      example: DELIVERY_EXAMPLE.id,
    },
  },
  summary: 'Read a delivery',
  description: 'Reads one delivery with its attempts, what was answered to each, and the exact body.',
  answers: {
    200: {
      description: 'The delivery.',
      schema: deliveryWithAttempts,
      example: {
        delivery: DELIVERY_EXAMPLE,
        attempts: [
          {
            deliveryId: 'dlv_01k3jd7s3bf9m2t6xz8ea0q4hv',
            number: 1,
            startedAt: '2026-09-03T12:31:07.498Z',
            durationMs: 187,
            outcome: 'delivered',
            responseStatus: 204,
            responseBody: null,
            error: null,
            remoteAddress: '203.0.113.20',
            secretVersion: 1,
          },
        ],
        body: JSON.stringify(EVENT_EXAMPLE),
      },
    },
  },
  errors: ['not_found'],
  errorExamples: { not_found: { error: 'no such webhook delivery' } },
});

/** Every operation of the console's API. */
export const CONSOLE_OPERATIONS: readonly AnyOperation[] = [
  createSessionOperation,
  getSessionOperation,
  deleteSessionOperation,
  createWebhookOperation,
  listWebhooksOperation,
  getWebhookOperation,
  testWebhookOperation,
  activateWebhookOperation,
  listDeliveriesOperation,
  getDeliveryOperation,
];
