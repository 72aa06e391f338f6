import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { WAITING_COUNTED } from '@partner/proto-contracts/api/limits';
import type { Delivery, Webhook } from './api/hooks.js';
import { formatCount, formatCountOf, formatSince } from './format.js';

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

/** Counts deliveries that wait; more than that are not counted. */
export const formatWaiting = (count: number) =>
  `${formatCount(count)}${count < WAITING_COUNTED ? '' : ' or more'}`;

/** Says how a webhook does; undefined if there is nothing to say. */
export function conditionText({ condition }: Pick<Webhook, 'condition'>, now: Date): string | undefined {
  if (condition === undefined) return undefined;
  const { waiting, accepted, attempts, missed, missedAtLeast } = condition;
  const since = condition.since === null ? '' : ` since ${formatSince(new Date(condition.since), now)}`;
  const waits = `${formatWaiting(waiting)} ${waiting === 1 ? 'delivery is waiting' : 'deliveries are waiting'} for a retry`;
  switch (condition.state) {
    case 'not_tested':
      return 'Not tested yet';
    case 'failing':
      return `Failing${since}: ${formatCountOf(attempts ?? 0, 'attempt', 'attempts')} failed${waiting === 0 ? '' : `, ${waits}`}`;
    case 'recovering': {
      const last = accepted === 1 ? 'the last one was' : `the last ${formatCount(accepted ?? 0)} were`;
      const accepting = accepted === 0 ? '' : `${last} accepted, `;
      return `Recovering: ${accepting}${formatWaiting(waiting)} still ${waiting === 1 ? 'waits' : 'wait'}`;
    }
    case 'paused':
      return `Paused${since}. ${missedAtLeast ? 'At least ' : ''}${formatCountOf(missed ?? 0, 'event', 'events')} missed so far.`;
    case 'active':
      return waiting === 0 ? undefined : waits;
  }
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
