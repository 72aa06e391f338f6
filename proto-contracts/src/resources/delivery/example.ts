import type { z } from 'zod';
import { EVENT_EXAMPLE } from '../../events/webhook-examples.js';
import { ATTEMPT_SUMMARY_EXAMPLE } from '../attempt/example.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/example.js';
import type { delivery, listedDelivery } from './delivery.js';

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

/** The same in a list. */
export const LISTED_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  lastAttempt: ATTEMPT_SUMMARY_EXAMPLE,
} as const satisfies z.infer<typeof listedDelivery>;

export const PENDING_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  id: 'dlv_01k3jd9w6ne3zr1v8xk5c2m4qa',
  state: 'pending',
  attempts: 0,
  createdAt: '2026-09-03T13:02:44.108Z',
  nextAttemptAt: '2026-09-03T13:02:44.108Z',
  finishedAt: null,
  replayOf: DELIVERY_EXAMPLE.id,
} as const satisfies z.infer<typeof delivery>;
