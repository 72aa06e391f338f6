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

/** `POST /partner-api/session` */
export const createSessionOperation = defineOperation({
  id: 'createSession',
  method: 'post',
  path: '/partner-api/session',
  unauthenticated: true,
  body: sessionIn,
  summary: 'Sign in',
  description: 'Signs an owner in, and ends the session that the browser had before.',
  answers: { 200: { description: 'Signed in.', schema: sessionAnswer } },
  errors: ['unauthenticated', 'permission_denied'],
});

/** `GET /partner-api/session` */
export const getSessionOperation = defineOperation({
  id: 'getSession',
  method: 'get',
  path: '/partner-api/session',
  summary: 'Read the session',
  description: 'Tells who is signed in, and until when.',
  answers: { 200: { description: 'The session.', schema: sessionAnswer } },
});

/** `DELETE /partner-api/session` */
export const deleteSessionOperation = defineOperation({
  id: 'deleteSession',
  method: 'delete',
  path: '/partner-api/session',
  summary: 'Sign out',
  description: 'Ends the session.',
  answers: { 204: { description: 'Signed out.' } },
});

/** `POST /partner-api/webhooks` */
export const createWebhookOperation = defineOperation({
  id: 'createWebhook',
  method: 'post',
  path: '/partner-api/webhooks',
  body: subscriptionIn,
  summary: 'Create a subscription',
  description: 'Makes a paused subscription and shows its secret for the only time.',
  answers: { 201: { description: 'The subscription and its secret.', schema: subscriptionCreated } },
});

/** `GET /partner-api/webhooks` */
export const listWebhooksOperation = defineOperation({
  id: 'listWebhooks',
  method: 'get',
  path: '/partner-api/webhooks',
  summary: 'List subscriptions',
  description: "Lists all subscriptions of the owner's company, oldest first.",
  answers: { 200: { description: 'The subscriptions.', schema: subscriptionList } },
});

/** `GET /partner-api/webhooks/{id}` */
export const getWebhookOperation = defineOperation({
  id: 'getWebhook',
  method: 'get',
  path: '/partner-api/webhooks/:id',
  summary: 'Read a subscription',
  description: 'Reads one subscription of the company.',
  answers: { 200: { description: 'The subscription.', schema: subscription } },
  errors: ['not_found'],
});

/** `POST /partner-api/webhooks/{id}/test` */
export const testWebhookOperation = defineOperation({
  id: 'testWebhook',
  method: 'post',
  path: '/partner-api/webhooks/:id/test',
  summary: 'Send a test delivery',
  description: 'Queues an `install.test` delivery and answers with it, to be watched.',
  answers: { 202: { description: 'The delivery.', schema: delivery } },
  errors: ['not_found'],
});

/** `POST /partner-api/webhooks/{id}/activate` */
export const activateWebhookOperation = defineOperation({
  id: 'activateWebhook',
  method: 'post',
  path: '/partner-api/webhooks/:id/activate',
  summary: 'Activate a subscription',
  description: 'Has new events queued, once a test delivery to the present URL was verified.',
  answers: { 200: { description: 'The subscription.', schema: subscription } },
  errors: ['not_found', 'test_delivery_required'],
});

/** `GET /partner-api/webhooks/{id}/deliveries` */
export const listDeliveriesOperation = defineOperation({
  id: 'listDeliveries',
  method: 'get',
  path: '/partner-api/webhooks/:id/deliveries',
  query: deliveryQuery,
  summary: 'List deliveries',
  description: 'Lists the deliveries of a subscription, newest first.',
  answers: { 200: { description: 'A page of deliveries.', schema: deliveryPage } },
  errors: ['not_found', 'cursor_invalid'],
});

/** `GET /partner-api/deliveries/{id}` */
export const getDeliveryOperation = defineOperation({
  id: 'getDelivery',
  method: 'get',
  path: '/partner-api/deliveries/:id',
  summary: 'Read a delivery',
  description:
    'Reads one delivery with its attempts and body, by its own id or by that of one of its attempts.',
  answers: { 200: { description: 'The delivery.', schema: deliveryWithAttempts } },
  errors: ['not_found'],
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
