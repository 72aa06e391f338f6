import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { EVENT_EXAMPLE } from '../event-catalogue/webhook-events.js';
import { ATTEMPT_EXAMPLE } from '../attempt/attempt.js';
import { WEBHOOK_LIMITS } from '../../api/limits.js';
import { SUBSCRIPTION_ID, testDeliveryIn } from '../subscription/subscription.js';
import {
  delivery,
  deliveryPage,
  deliveryQuery,
  deliveryWithAttempts,
  DELIVERY_EXAMPLE,
  LISTED_DELIVERY_EXAMPLE,
  PENDING_DELIVERY_EXAMPLE,
  TEST_DELIVERY_EXAMPLE,
  webhookDeliveryQuery,
} from './delivery.js';

const DELIVERY_ID = {
  id: {
    description:
      'The `id` of a delivery of your company, or of one of its attempts: the `x-svc-delivery-id` that your server received.',
    example: DELIVERY_EXAMPLE.id,
  },
};

const DELIVERY_PAGE = {
  200: {
    description: 'A page of deliveries.',
    schema: deliveryPage,
    example: { deliveries: [LISTED_DELIVERY_EXAMPLE], nextCursor: null },
  },
} as const;

export const listCompanyDeliveriesOperation = defineOperation({
  id: 'listCompanyDeliveries',
  method: 'get',
  path: '/partner-api/deliveries',
  query: deliveryQuery,
  summary: 'List deliveries to all webhooks',
  description:
    'Lists the deliveries to all subscriptions of your company, deleted ones included, newest first, each with its last attempt.',
  responses: DELIVERY_PAGE,
  errors: ['cursor_invalid'],
});

export const listDeliveriesOperation = defineOperation({
  id: 'listDeliveries',
  method: 'get',
  path: '/partner-api/webhooks/:id/deliveries',
  params: SUBSCRIPTION_ID,
  query: webhookDeliveryQuery,
  summary: 'List deliveries',
  description: `
Lists the deliveries of a subscription, newest first, each with its last attempt.

If your server lacks numbers (\`x-svc-number\`), \`fromNumber\` and \`toNumber\` show their deliveries.`,
  responses: DELIVERY_PAGE,
  errors: ['not_found', 'cursor_invalid'],
});

export const getDeliveryOperation = defineOperation({
  id: 'getDelivery',
  method: 'get',
  path: '/partner-api/deliveries/:id',
  params: DELIVERY_ID,
  summary: 'Read a delivery',
  description: 'Reads one delivery with its attempts, their steps and responses, and the exact body.',
  responses: {
    200: {
      description: 'The delivery.',
      schema: deliveryWithAttempts,
      example: {
        delivery: DELIVERY_EXAMPLE,
        attempts: [ATTEMPT_EXAMPLE],
        body: JSON.stringify(EVENT_EXAMPLE),
      },
    },
  },
  errors: ['not_found'],
});

export const replayDeliveryOperation = defineOperation({
  id: 'replayDelivery',
  method: 'post',
  path: '/partner-api/deliveries/:id/replay',
  params: DELIVERY_ID,
  summary: 'Replay a delivery',
  description: `
Queues a new delivery of the same event and the same body, with up to 8 new attempts, and returns it. The delivery
must be delivered or dead-lettered. While its subscription is paused the new one is held, and continues after the activation.

It takes no \`Idempotency-Key\`. Sent twice, it queues one delivery while the first is pending: the second is 409
\`replay_in_progress\` and names it. After that every request sends the event once more.`,
  needsConfirmation: () => true,
  responses: {
    202: { description: 'The new delivery.', schema: delivery, example: PENDING_DELIVERY_EXAMPLE },
  },
  errors: ['not_found', 'delivery_not_replayable', 'replay_in_progress', 'event_expired'],
});

export const retryDeliveryOperation = defineOperation({
  id: 'retryDelivery',
  method: 'post',
  path: '/partner-api/deliveries/:id/retry',
  params: DELIVERY_ID,
  summary: 'Retry a delivery now',
  description: `
Makes the next scheduled attempt of a delivery due now, and returns the delivery. The delivery must wait for a retry. The
attempt counts as the scheduled one: the backoff after it and the number of attempts left are the same.

It takes no \`Idempotency-Key\`. Sent twice, the second is 409 \`delivery_not_waiting\` while the attempt is in flight.
After a failed attempt every request brings the next one forward.`,
  needsConfirmation: () => true,
  responses: {
    202: {
      description: 'The delivery, with its next attempt due.',
      schema: delivery,
      example: { ...PENDING_DELIVERY_EXAMPLE, state: 'retry_scheduled', attempts: 1 },
    },
  },
  errors: ['not_found', 'delivery_not_waiting'],
});

export const testWebhookOperation = defineOperation({
  id: 'testWebhook',
  method: 'post',
  path: '/partner-api/webhooks/:id/test',
  params: SUBSCRIPTION_ID,
  body: testDeliveryIn,
  maxBodyBytes: 32_768,
  summary: 'Send a test delivery',
  description: `
Queues an \`install.test\` delivery, also for a paused subscription, and returns it. Read the delivery to see its
result.

With an \`event\`, the delivery carries the catalogue's example of that event, whichever events the subscription has. Every
test delivery has the header \`x-svc-test: true\`: your server must not treat its data as real.

Within ${WEBHOOK_LIMITS.testWindowSeconds} seconds at most ${WEBHOOK_LIMITS.testsPerSubscription} tests can be sent to a subscription and
${WEBHOOK_LIMITS.testsPerCompany} to all of a company together, deleted ones included; more are refused with 429.

With the version of a pending secret you can check that your server has that secret before you activate it. With
\`wrongSignature\` you can check that your server verifies signatures: it must refuse that test. The body can be left out.

With a \`url\` you can test another URL before you switch to it. The test is sent there once, with only the \`headers\` of this request,
and signed with the current secret. It counts in neither health nor statistics. If that URL accepts it with 2xx, a change of
the subscription's \`url\` to it within ${WEBHOOK_LIMITS.testedUrlMinutes} minutes leaves the subscription active.`,
  bodyExamples: {
    usual: { summary: 'Like any other delivery', value: {} satisfies z.input<typeof testDeliveryIn> },
    example: {
      summary: 'An example of another event',
      value: { event: 'install.status_changed' } satisfies z.input<typeof testDeliveryIn>,
    },
    pending: {
      summary: 'Signed with a pending secret',
      value: { secretVersion: 2 } satisfies z.input<typeof testDeliveryIn>,
    },
    otherUrl: {
      summary: 'Another URL, with a custom header',
      value: {
        url: 'https://hooks.sunny.example/partner/v2',
        headers: [{ name: 'Authorization', value: 'Bearer bXktbmV3LWdhdGV3YXk' }],
      } satisfies z.input<typeof testDeliveryIn>,
    },
    wrong: {
      summary: 'Signed wrongly, so that it must be refused',
      value: { secretVersion: 2, wrongSignature: true } satisfies z.input<typeof testDeliveryIn>,
    },
  },
  needsConfirmation: () => true,
  responses: {
    202: {
      description: 'The delivery.',
      schema: delivery,
      example: TEST_DELIVERY_EXAMPLE,
    },
  },
  errors: ['not_found', 'secret_version_mismatch'],
});
