import type { z } from 'zod';
import {
  bulkReplay,
  bulkReplayIn,
  bulkReplayPage,
  bulkReplayPreview,
  bulkReplayQuery,
  PREVIEWED_RESOURCES,
} from '../bulk-replay.js';
import { eventPage, eventQuery, eventWithTrail } from '../event-trail.js';
import {
  ATTEMPT_EXAMPLE,
  BULK_REPLAY_EXAMPLE,
  DELIVERY_EXAMPLE,
  EVENT_EXAMPLE,
  TRAIL_EVENT_EXAMPLE,
} from '../examples/webhook-delivery-example.js';
import { SUBSCRIPTION_ID } from '../examples/webhook-subscription-example.js';
import { type AnyOperation, defineOperation } from '../operation.js';
import { delivery, deliveryPage, deliveryQuery, deliveryWithAttempts } from '../webhook-delivery.js';

const DELIVERY_ID = {
  id: {
    description:
      'The `id` of a delivery of your company, or of one of its attempts: what your server has seen in `x-svc-delivery-id`.',
    example: DELIVERY_EXAMPLE.id,
  },
};

const REPLAY_ID = {
  id: {
    description: 'The `id` of a bulk replay or back-fill of your company. Any other is 404.',
    example: BULK_REPLAY_EXAMPLE.id,
  },
};

const PENDING_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  id: 'dlv_01k3jd9w6ne3zr1v8xk5c2m4qa',
  state: 'pending',
  attempts: 0,
  createdAt: '2026-09-03T13:02:44.108Z',
  nextAttemptAt: '2026-09-03T13:02:44.108Z',
  finishedAt: null,
  replayOf: DELIVERY_EXAMPLE.id,
} as const satisfies z.infer<typeof delivery>;

/** `GET /partner-api/webhooks/{id}/deliveries` */
export const listDeliveriesOperation = defineOperation({
  id: 'listDeliveries',
  method: 'get',
  path: '/partner-api/webhooks/:id/deliveries',
  params: SUBSCRIPTION_ID,
  query: deliveryQuery,
  summary: 'List deliveries',
  description: 'Lists the deliveries of a subscription, newest first.',
  responses: {
    200: {
      description: 'A page of deliveries.',
      schema: deliveryPage,
      example: { deliveries: [DELIVERY_EXAMPLE], nextCursor: null },
    },
  },
  errors: ['not_found', 'cursor_invalid'],
});

/** `GET /partner-api/deliveries/{id}` */
export const getDeliveryOperation = defineOperation({
  id: 'getDelivery',
  method: 'get',
  path: '/partner-api/deliveries/:id',
  params: DELIVERY_ID,
  summary: 'Read a delivery',
  description:
    'Reads one delivery with its attempts, what became of each step of them and was answered, and the exact body.',
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

/** `POST /partner-api/deliveries/{id}/replay` */
export const replayDeliveryOperation = defineOperation({
  id: 'replayDelivery',
  method: 'post',
  path: '/partner-api/deliveries/:id/replay',
  params: DELIVERY_ID,
  summary: 'Replay a delivery',
  description: `
Queues a new delivery of the same event and the same body, with up to 8 attempts of its own, and answers with it. The delivery
must be delivered or dead-lettered. While its subscription is paused the new one is held, and goes on after the activation.

It takes no \`Idempotency-Key\`. Sent twice it makes one delivery, as long as the first is on its way: the second is 409
\`replay_in_progress\` and names it. After that every request sends the event once more.`,
  responses: {
    202: { description: 'The new delivery.', schema: delivery, example: PENDING_DELIVERY_EXAMPLE },
  },
  errors: ['not_found', 'delivery_not_replayable', 'replay_in_progress', 'event_expired'],
});

/** `POST /partner-api/webhooks/{id}/replay` */
export const replayDeliveriesOperation = defineOperation({
  id: 'replayDeliveries',
  method: 'post',
  path: '/partner-api/webhooks/:id/replay',
  params: SUBSCRIPTION_ID,
  body: bulkReplayIn,
  summary: 'Replay deliveries in bulk',
  description: `
Repeats the deliveries of a subscription that were created in a time span, at a rate. Each event is queued once, however many
of its deliveries are in the span, unless it is on its way to the subscription already or is no longer kept. Tests are never
repeated. Deliveries that are created after the request are not part of it.

With \`preview: true\` nothing is queued, and the answer is 200 with what would be. At most the 100,000 oldest deliveries of the
span are counted; when it holds more, \`atLeast\` is true, and the replay goes through all of them nevertheless.

Without \`preview\` the answer is 202, and the deliveries are queued from then on. While the subscription is paused the bulk
replay waits. A subscription has at most one at a time.`,
  bodyExamples: {
    preview: {
      summary: 'What would be repeated',
      value: {
        states: ['dead_lettered'],
        from: BULK_REPLAY_EXAMPLE.from,
        to: BULK_REPLAY_EXAMPLE.to,
        preview: true,
      } satisfies z.input<typeof bulkReplayIn>,
    },
    replay: {
      summary: 'Everything of six hours, slowly',
      value: {
        states: ['dead_lettered', 'delivered'],
        from: BULK_REPLAY_EXAMPLE.from,
        to: BULK_REPLAY_EXAMPLE.to,
        event: 'install.*',
        perMinute: 60,
      } satisfies z.input<typeof bulkReplayIn>,
    },
  },
  responses: {
    200: {
      description: `What would be repeated, with the ${PREVIEWED_RESOURCES} resources that most of it is about.`,
      schema: bulkReplayPreview,
      example: {
        deliveries: 1_284,
        atLeast: false,
        oldest: '2026-09-03T06:00:11.930Z',
        newest: '2026-09-03T11:58:02.417Z',
        resourceCount: 1,
        resources: [{ ...DELIVERY_EXAMPLE.resource, deliveries: 1_284 }],
        estimatedMinutes: 3,
      },
    },
    202: {
      description: 'The bulk replay.',
      schema: bulkReplay,
      example: { ...BULK_REPLAY_EXAMPLE, queued: 0 },
    },
  },
  errors: ['not_found', 'replay_in_progress'],
});

/** `GET /partner-api/webhooks/{id}/replays` */
export const listReplaysOperation = defineOperation({
  id: 'listReplays',
  method: 'get',
  path: '/partner-api/webhooks/:id/replays',
  params: SUBSCRIPTION_ID,
  query: bulkReplayQuery,
  summary: 'List bulk replays',
  description: 'Lists the bulk replays and back-fills of a subscription, newest first.',
  responses: {
    200: {
      description: 'A page of bulk replays.',
      schema: bulkReplayPage,
      example: { replays: [BULK_REPLAY_EXAMPLE], nextCursor: null },
    },
  },
  errors: ['not_found', 'cursor_invalid'],
});

/** `GET /partner-api/replays/{id}` */
export const getReplayOperation = defineOperation({
  id: 'getReplay',
  method: 'get',
  path: '/partner-api/replays/:id',
  params: REPLAY_ID,
  summary: 'Read a bulk replay',
  description: 'Reads one bulk replay or back-fill and how far it has come.',
  responses: { 200: { description: 'The bulk replay.', schema: bulkReplay, example: BULK_REPLAY_EXAMPLE } },
  errors: ['not_found'],
});

/** `DELETE /partner-api/replays/{id}` */
export const cancelReplayOperation = defineOperation({
  id: 'cancelReplay',
  method: 'delete',
  path: '/partner-api/replays/:id',
  params: REPLAY_ID,
  summary: 'Cancel a bulk replay',
  description: `
Has a bulk replay or back-fill queue nothing more. What it has queued goes on. One that has come to its end stays as it is, so
that a repeat is harmless.`,
  responses: {
    200: {
      description: 'The bulk replay.',
      schema: bulkReplay,
      example: { ...BULK_REPLAY_EXAMPLE, state: 'cancelled', finishedAt: '2026-09-03T13:05:31.220Z' },
    },
  },
  errors: ['not_found'],
});

/** `GET /partner-api/events` */
export const listEventsOperation = defineOperation({
  id: 'listEvents',
  method: 'get',
  path: '/partner-api/events',
  query: eventQuery,
  summary: 'List events',
  description: `
Lists the events of your company, newest first, whether somebody subscribed to them or not. When there is none about the
\`resourceId\`, \`explanation\` says so; whether such a resource exists is not told.`,
  responses: {
    200: {
      description: 'A page of events.',
      schema: eventPage,
      example: { events: [TRAIL_EVENT_EXAMPLE], nextCursor: null, explanation: null },
    },
  },
  errors: ['cursor_invalid'],
});

/** `GET /partner-api/events/{id}` */
export const getEventOperation = defineOperation({
  id: 'getEvent',
  method: 'get',
  path: '/partner-api/events/:id',
  params: {
    id: {
      description: 'The `id` of an event of your company. Any other is 404.',
      example: TRAIL_EVENT_EXAMPLE.id,
    },
  },
  summary: 'Trace an event',
  description: `
Tells of one event what became of it for each subscription: its deliveries with their attempts and the time of the next one,
or why it was not queued.`,
  responses: {
    200: {
      description: 'The event and its trail.',
      schema: eventWithTrail,
      example: {
        event: TRAIL_EVENT_EXAMPLE,
        body: JSON.stringify(EVENT_EXAMPLE),
        subscriptions: [
          {
            subscriptionId: DELIVERY_EXAMPLE.subscriptionId,
            verdict: 'queued',
            explanation: 'A delivery to this subscription was queued.',
            deliveries: [
              {
                delivery: DELIVERY_EXAMPLE,
                attempts: [
                  {
                    deliveryId: ATTEMPT_EXAMPLE.deliveryId,
                    number: 1,
                    startedAt: ATTEMPT_EXAMPLE.startedAt,
                    durationMs: ATTEMPT_EXAMPLE.durationMs,
                    outcome: 'delivered',
                    responseStatus: 204,
                    error: null,
                  },
                ],
              },
            ],
          },
          {
            subscriptionId: 'whk_01k3hb0q7d3fzs9x2m5tn8c4vw',
            verdict: 'paused',
            explanation: 'The subscription was paused; a paused subscription queues no deliveries.',
            deliveries: [],
          },
        ],
      } satisfies z.input<typeof eventWithTrail>,
    },
  },
  errors: ['not_found'],
});

/** The operations on webhook deliveries and the events behind them. */
export const DELIVERY_OPERATIONS: readonly AnyOperation[] = [
  listDeliveriesOperation,
  getDeliveryOperation,
  replayDeliveryOperation,
  replayDeliveriesOperation,
  listReplaysOperation,
  getReplayOperation,
  cancelReplayOperation,
  listEventsOperation,
  getEventOperation,
];
