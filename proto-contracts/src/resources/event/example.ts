import type { z } from 'zod';
import { EVENT_EXAMPLE } from '../../events/webhook-examples.js';
import { DELIVERY_EXAMPLE } from '../delivery/example.js';
import type { event } from './event.js';

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
