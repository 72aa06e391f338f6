import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { Delivery, Webhook } from './api/hooks.js';
import { formatCountOf } from './format.js';

/** Returns the display name of a subscription: its description, else its URL without `https://`. */
export function webhookName(webhook: { readonly url: string; readonly description: string }): string {
  return webhook.description === ''
    ? webhook.url.replace(/^https:\/\//, '').replace(/\/$/, '')
    : webhook.description;
}

/** Events of one group, in the order of the catalogue. */
export interface EventGroup {
  readonly group: string;
  readonly events: readonly CatalogueEvent[];
}

/** Returns events by their groups. */
export function groupEvents(events: readonly CatalogueEvent[]): readonly EventGroup[] {
  return [...new Set(events.map(({ group }) => group))].map((name) => ({
    group: name,
    events: events.filter(({ group }) => group === name),
  }));
}

/** Whether the endpoint of an active webhook is failing: its last attempts failed, as many as make it one. */
export function isFailing({ state, failuresInRow }: Pick<Webhook, 'state' | 'failuresInRow'>): boolean {
  return state === 'active' && failuresInRow >= WEBHOOK_LIMITS.failingAfter;
}

/** Says how fast deliveries to a webhook start at most. */
export function rateLabel(deliveriesPerSecond: number | null): string {
  return deliveriesPerSecond === null
    ? 'As fast as your server responds'
    : `At most ${formatCountOf(deliveriesPerSecond, 'delivery', 'deliveries')} per second`;
}

/** When the next attempt of a delivery, or of a webhook, is due; null if none is. */
export function nextAttemptOf({ nextAttemptAt, state }: Pick<Delivery | Webhook, 'nextAttemptAt' | 'state'>) {
  return state === 'held' ? null : nextAttemptAt;
}

/** Whether the next attempt is due, but all slots of the webhook are in use. */
export function isWaitingForSlot(nextAttemptAt: string, now: Date): boolean {
  return Date.parse(nextAttemptAt) < now.getTime();
}
