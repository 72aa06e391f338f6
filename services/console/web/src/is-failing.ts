import type { Webhook } from './api/operations.js';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';

/** Whether the endpoint of an active webhook is failing: its last attempts failed, as many as make it one. */
export function isFailing({ state, failuresInRow }: Pick<Webhook, 'state' | 'failuresInRow'>): boolean {
  return state === 'active' && failuresInRow >= WEBHOOK_LIMITS.failingAfter;
}
