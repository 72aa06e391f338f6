import { checkAttempts } from './check-attempts.js';
import { checkCommits } from './check-commits.js';
import { checkQueueing } from './check-queueing.js';
import { checkRequests } from './check-requests.js';
import type { DeliveryHistory } from './delivery-history.js';
import { indexHistory } from './history-index.js';

/**
 * Checks all that deliveries must hold (spec: Events; decisions: Webhooks). Gives every violation in words, none for a service
 * that is right. It rests on what can be known from outside and no more: where two orders were possible, both are right.
 */
export function checkHistory(history: DeliveryHistory): string[] {
  const index = indexHistory(history);
  return [
    ...checkCommits(index),
    ...checkQueueing(index),
    ...checkRequests(index),
    ...history.deliveries.flatMap((shown) => checkAttempts(index, shown)),
  ];
}
