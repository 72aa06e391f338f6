import type { CompanyClassName } from '../../values/company-class.js';
import { INSTALL_EVENTS } from './install-events.js';
import { JOURNAL_EVENTS } from './journal-events.js';
import { NOTIFICATION_EVENTS } from './notification-events.js';
import { SALES_EVENTS } from './sales-events.js';

/** Every event that a subscription can name (spec: Event catalogue), in the order of the reference. */
export const EVENT_CATALOGUE = {
  ...SALES_EVENTS,
  ...INSTALL_EVENTS,
  ...JOURNAL_EVENTS,
  ...NOTIFICATION_EVENTS,
} as const;

export type EventName = keyof typeof EVENT_CATALOGUE;

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENT_CATALOGUE, name);
}

/** An event that notifies owners of the state of their webhooks and API keys. */
export type NotificationName = EventName & `${'webhook' | 'api_key'}.${string}`;

export function isNotification(event: EventName): event is NotificationName {
  return event.startsWith('webhook.') || event.startsWith('api_key.');
}

export const NOTIFICATIONS: readonly NotificationName[] = Object.keys(EVENT_CATALOGUE)
  .filter(isEventName)
  .filter(isNotification);

/** Returns the group of an event: the part before its dot. */
export function eventGroup(event: EventName): string {
  return event.slice(0, event.indexOf('.'));
}

/**
 * Returns the events of the catalogue that a pattern matches: an event's own name, or `group.*`. Empty if it matches
 * none.
 */
export function eventsNamedBy(pattern: string): readonly EventName[] {
  return Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .filter((event) => pattern === event || pattern === `${eventGroup(event)}.*`);
}

/**
 * Returns the events that a subscription's pattern matches and that the company's class may receive. A pattern is an
 * event's own name, or `group.*`. Empty if there are none.
 */
export function eventsMatching(pattern: string, companyClass: CompanyClassName): readonly EventName[] {
  return eventsNamedBy(pattern).filter((event) => {
    return EVENT_CATALOGUE[event].classes.includes(companyClass);
  });
}

/**
 * Returns what a subscription of a company's class can name: the names of its events, and `group.*` of each group with at least one.
 *
 * `install.test` is allowed for any class, but no group includes it: it is only sent on demand.
 */
export function allowedPatterns(companyClass: CompanyClassName): readonly string[] {
  const names = Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .filter((event) => eventsMatching(event, companyClass).length > 0);
  const groups = names.filter((event) => event !== 'install.test').map((event) => `${eventGroup(event)}.*`);
  return [...names, ...new Set(groups)];
}
