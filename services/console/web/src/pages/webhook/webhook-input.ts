import { sentenceOf } from '@partner/console/shared/error-sentences';
import { type EventGroup, groupEvents } from '../../webhook-facts.js';
import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';

/** Events that one pattern matches. */
export interface EventChoice extends EventGroup {
  /** Topic of the group, e.g. `installation`. */
  readonly about: string;
  readonly pattern: string;
}

/** Topics of groups that are not the group's name. */
const ABOUT: Readonly<Record<string, string>> = {
  install: 'installation',
  api_key: 'API key',
};

/** Tests are sent regardless of the subscription's events. */
export const TEST_EVENT = 'install.test';

/** Returns the groups of events that the class allows. */
export function groupsFor(
  events: readonly CatalogueEvent[],
  companyClass: CatalogueEvent['classes'][number],
): readonly EventChoice[] {
  const own = events.filter(({ name, classes }) => name !== TEST_EVENT && classes.includes(companyClass));
  return groupEvents(own).map((each) => ({
    ...each,
    about: ABOUT[each.group] ?? each.group,
    pattern: `${each.group}.*`,
  }));
}

/** Whether the patterns match the event, by name or by group. */
export function isChosen(patterns: readonly string[], event: CatalogueEvent): boolean {
  return patterns.includes(event.name) || patterns.includes(`${event.group}.*`);
}

/** Adds the whole group to the patterns, or removes it if it was selected. */
export function toggleGroup(patterns: readonly string[], group: EventChoice): readonly string[] {
  const others = withoutGroup(patterns, group);
  return patterns.includes(group.pattern) ? others : [...others, group.pattern];
}

/** Adds or removes one event. If its whole group was selected, the group's other events are listed one by one. */
export function toggleEvent(
  patterns: readonly string[],
  group: EventChoice,
  event: CatalogueEvent,
): readonly string[] {
  const wasChosen = isChosen(patterns, event);
  const kept = group.events
    .filter((other) => other.name !== event.name && isChosen(patterns, other))
    .map(({ name }) => name);
  return [...withoutGroup(patterns, group), ...kept, ...(wasChosen ? [] : [event.name])];
}

function withoutGroup(patterns: readonly string[], group: EventChoice): readonly string[] {
  const own = new Set([group.pattern, ...group.events.map(({ name }) => name)]);
  return patterns.filter((pattern) => !own.has(pattern));
}

/** Returns the violation of the events among the violations by field. */
export function eventsViolation(violations: Readonly<Record<string, string>>): string | undefined {
  const violation = Object.entries(violations).find(
    ([field]) => field === 'events' || field.startsWith('events.'),
  );
  return violation === undefined ? undefined : sentenceOf(violation[1], 'Each event');
}
