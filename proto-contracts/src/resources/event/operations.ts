import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { EVENT_EXAMPLE } from '../event-catalogue/webhook-events.js';
import { ATTEMPT_SUMMARY_EXAMPLE } from '../attempt/attempt.js';
import { DELIVERY_EXAMPLE } from '../delivery/delivery.js';
import { eventPage, eventQuery, eventWithTrail, TRAIL_EVENT_EXAMPLE } from './event.js';

export const listEventsOperation = defineOperation({
  id: 'listEvents',
  method: 'get',
  path: '/partner-api/events',
  query: eventQuery,
  summary: 'List events',
  description: `
Lists the events of your company, newest first, with and without subscribers, each with the state of its deliveries. If none is about the
\`resourceId\`, \`explanation\` says so, but not whether such a resource exists.`,
  responses: {
    200: {
      description: 'A page of events.',
      schema: eventPage,
      example: {
        events: [{ ...TRAIL_EVENT_EXAMPLE, deliveryStates: ['delivered'] }],
        nextCursor: null,
        explanation: null,
      },
    },
  },
  errors: ['cursor_invalid'],
});

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
Reads the outcome of one event for each subscription: its deliveries with their attempts and the time of the next one,
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
                attempts: [ATTEMPT_SUMMARY_EXAMPLE],
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
