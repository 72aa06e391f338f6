import type { DeliveryState } from '../../api/deliveries.js';

/** Meaning of each delivery state in plain words. */
export const STATE_TEXTS: Readonly<Record<DeliveryState, string>> = {
  pending: 'Queued',
  retry_scheduled: 'Failed, will be retried',
  delivered: 'Accepted by your server',
  dead_lettered: 'Failed, out of retries',
  held: 'Held while the webhook is paused',
  cancelled: 'Cancelled: the webhook was deleted',
};
