import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { pageQuery } from '../../values/page.js';
import { DELIVERY_EXAMPLE } from '../delivery/delivery.js';
import { SUBSCRIPTION_ID } from '../subscription/subscription.js';
import {
  bulkReplay,
  bulkReplayIn,
  bulkReplayPage,
  bulkReplayPreview,
  PREVIEWED_RESOURCES,
  BULK_REPLAY_EXAMPLE,
} from './bulk-replay.js';

const REPLAY_ID = {
  id: {
    description: 'The `id` of a bulk replay or back-fill of your company. Any other is 404.',
    example: BULK_REPLAY_EXAMPLE.id,
  },
};

export const replayDeliveriesOperation = defineOperation({
  id: 'replayDeliveries',
  method: 'post',
  path: '/partner-api/webhooks/:id/replay',
  params: SUBSCRIPTION_ID,
  body: bulkReplayIn,
  summary: 'Replay deliveries in bulk',
  description: `
Repeats the deliveries of a subscription that were created in a time span, at a rate. Each event is queued once, however many
of its deliveries are in the span, unless a delivery of it is pending or it is no longer kept. Tests are never
repeated. Deliveries that are created after the request are not part of it.

With the state \`retry_scheduled\` it makes the next attempts of deliveries that wait for a retry due now. These attempts count as
the scheduled ones: nothing is queued twice, and the backoff after them stays the same.

With \`preview: true\` nothing is queued, and the response is 200 with a preview. At most the 100,000 oldest deliveries of the
span are counted; if it has more, \`atLeast\` is true, but the replay still queues all of them.

Without \`preview\` the response is 202, and the deliveries are queued from then on. While the subscription is paused the bulk
replay waits. A subscription has at most one at a time.`,
  bodyExamples: {
    preview: {
      summary: 'Preview',
      value: {
        states: ['dead_lettered'],
        from: BULK_REPLAY_EXAMPLE.from,
        to: BULK_REPLAY_EXAMPLE.to,
        preview: true,
      } satisfies z.input<typeof bulkReplayIn>,
    },
    replay: {
      summary: 'What a server refused in six hours, slowly',
      value: {
        states: ['dead_lettered', 'retry_scheduled'],
        from: BULK_REPLAY_EXAMPLE.from,
        to: BULK_REPLAY_EXAMPLE.to,
        event: 'install.*',
        cause: { outcome: 'rejected', responseStatus: 503 },
        perMinute: 60,
      } satisfies z.input<typeof bulkReplayIn>,
    },
  },
  needsConfirmation: ({ preview }) => !preview,
  responses: {
    200: {
      description: `The preview, with the ${PREVIEWED_RESOURCES} resources that have the most deliveries.`,
      schema: bulkReplayPreview,
      example: {
        deliveries: 1_284,
        atLeast: false,
        oldest: '2026-09-03T06:00:11.930Z',
        newest: '2026-09-03T11:58:02.417Z',
        resourceCount: 1,
        resources: [
          { ...DELIVERY_EXAMPLE.resource, workOrderNo: DELIVERY_EXAMPLE.workOrderNo, deliveries: 1_284 },
        ],
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

export const listReplaysOperation = defineOperation({
  id: 'listReplays',
  method: 'get',
  path: '/partner-api/webhooks/:id/replays',
  params: SUBSCRIPTION_ID,
  query: pageQuery,
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

export const getReplayOperation = defineOperation({
  id: 'getReplay',
  method: 'get',
  path: '/partner-api/replays/:id',
  params: REPLAY_ID,
  summary: 'Read a bulk replay',
  description: 'Reads one bulk replay or back-fill with its progress.',
  responses: { 200: { description: 'The bulk replay.', schema: bulkReplay, example: BULK_REPLAY_EXAMPLE } },
  errors: ['not_found'],
});

export const cancelReplayOperation = defineOperation({
  id: 'cancelReplay',
  repeatable: true,
  method: 'delete',
  path: '/partner-api/replays/:id',
  params: REPLAY_ID,
  summary: 'Cancel a bulk replay',
  description: `
Stops a bulk replay or back-fill. Deliveries that it has queued continue. A finished one stays unchanged, so a repeat is
harmless.`,
  responses: {
    200: {
      description: 'The bulk replay.',
      schema: bulkReplay,
      example: { ...BULK_REPLAY_EXAMPLE, state: 'cancelled', finishedAt: '2026-09-03T13:05:31.220Z' },
    },
  },
  errors: ['not_found'],
});
