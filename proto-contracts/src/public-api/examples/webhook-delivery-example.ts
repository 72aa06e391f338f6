import type { z } from 'zod';
import type { bulkReplay } from '../bulk-replay.js';
import type { event } from '../event-trail.js';
import type { attempt, delivery } from '../webhook-delivery.js';
import { WEBHOOK_EXAMPLES } from './webhook-examples.js';
import { SUBSCRIPTION_EXAMPLE } from './webhook-subscription-example.js';

/** The event that {@link DELIVERY_EXAMPLE} delivers. */
export const EVENT_EXAMPLE = WEBHOOK_EXAMPLES['install.status_changed'];

/** A delivery as the examples of the reference show it. */
export const DELIVERY_EXAMPLE = {
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
  replayOf: null,
  bulkReplayId: null,
} as const satisfies z.infer<typeof delivery>;

/** The attempt that delivered {@link DELIVERY_EXAMPLE}. */
export const ATTEMPT_EXAMPLE = {
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
  exchange: {
    dnsMs: 4,
    addresses: ['203.0.113.20'],
    connectMs: 31,
    tlsMs: 64,
    tlsProtocol: 'TLSv1.3',
    certificate: {
      subject: 'hooks.sunny.example',
      issuer: 'Example CA 1',
      validTo: '2026-11-20T08:00:00.000Z',
    },
    reusedConnection: false,
    firstByteMs: 83,
  },
} as const satisfies z.infer<typeof attempt>;

/** The event of {@link EVENT_EXAMPLE} as the trail shows it. */
export const TRAIL_EVENT_EXAMPLE = {
  id: EVENT_EXAMPLE.id,
  event: EVENT_EXAMPLE.event,
  occurredAt: EVENT_EXAMPLE.occurredAt,
  committedAt: DELIVERY_EXAMPLE.createdAt,
  resource: EVENT_EXAMPLE.resource,
  schemaVersion: EVENT_EXAMPLE.schemaVersion,
  requestId: '0198f5c2-9d1e-7c3a-b6a4-2f60d1e8c7b5',
} as const satisfies z.infer<typeof event>;

/** A bulk replay as the examples of the reference show it. */
export const BULK_REPLAY_EXAMPLE = {
  id: 'rpl_01k3jf0c8vey3r6m5w2tq9xzbn',
  subscriptionId: SUBSCRIPTION_EXAMPLE.id,
  kind: 'replay',
  states: ['dead_lettered'],
  event: 'install.*',
  from: '2026-09-03T06:00:00.000Z',
  to: '2026-09-03T12:00:00.000Z',
  perMinute: 600,
  state: 'running',
  total: 1_284,
  atLeast: false,
  queued: 310,
  createdAt: '2026-09-03T13:05:00.000Z',
  finishedAt: null,
} as const satisfies z.infer<typeof bulkReplay>;
