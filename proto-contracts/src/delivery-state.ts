import { DeliveryState } from './gen/partner/webhooks/v1/delivery_service_pb.js';
import type { DELIVERY_STATES } from './public-api/webhook-delivery.js';

/** Each state of a delivery, by its name in the public API, as our own services tell it to one another. */
export const DELIVERY_STATE_ON_THE_WIRE = {
  pending: DeliveryState.PENDING,
  retry_scheduled: DeliveryState.RETRY_SCHEDULED,
  delivered: DeliveryState.DELIVERED,
  dead_lettered: DeliveryState.DEAD_LETTERED,
  held: DeliveryState.HELD,
  cancelled: DeliveryState.CANCELLED,
} as const satisfies Record<(typeof DELIVERY_STATES)[number], DeliveryState>;
