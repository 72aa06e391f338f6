import type { DeliveryState } from '../../api/deliveries.js';

/** What the state of a delivery means, for somebody who is no engineer. */
export const STATE_TEXTS: Readonly<Record<DeliveryState, string>> = {
  pending: 'Waits to be sent',
  retry_scheduled: 'Failed so far, is tried again',
  delivered: 'Your server took it',
  dead_lettered: 'Failed for good, nothing more is sent',
  held: 'Waits, the webhook is paused',
  cancelled: 'Not sent, the webhook was deleted',
};
