import type { Subscription } from './subscription.js';

/** The health of a subscription; null for one that is paused, or whose URL was never tested. */
export function healthOf({
  state,
  verified,
  health,
}: Pick<Subscription, 'state' | 'verified' | 'health'>): Subscription['health'] | null {
  return state === 'active' && verified ? health : null;
}
