import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';

/** Events that one pattern matches. */
export interface EventGroup {
  readonly name: string;
  /** Topic of the group, e.g. `installation`. */
  readonly about: string;
  readonly pattern: string;
  readonly events: readonly CatalogueEvent[];
}

const ABOUT: Readonly<Record<string, string>> = {
  quote: 'quote',
  project: 'project',
  appointment: 'appointment',
  deposit: 'deposit',
  invoice: 'invoice',
  rebate: 'rebate',
  install: 'installation',
  journal: 'journal',
  webhook: 'webhook',
  api_key: 'API key',
};

/** Tests are sent regardless of the subscription's events. */
export const TEST_EVENT = 'install.test';

/** Returns the groups of events that the class allows. */
export function groupsFor(
  events: readonly CatalogueEvent[],
  companyClass: CatalogueEvent['classes'][number],
): readonly EventGroup[] {
  const own = events.filter(({ name, classes }) => name !== TEST_EVENT && classes.includes(companyClass));
  return [...new Set(own.map(({ group }) => group))].map((name) => ({
    name,
    about: ABOUT[name] ?? name,
    pattern: `${name}.*`,
    events: own.filter(({ group }) => group === name),
  }));
}

/** Whether the patterns match the event, by name or by group. */
export function isChosen(patterns: readonly string[], event: CatalogueEvent): boolean {
  return patterns.includes(event.name) || patterns.includes(`${event.group}.*`);
}

/** Adds the whole group to the patterns, or removes it if it was selected. */
export function toggleGroup(patterns: readonly string[], group: EventGroup): readonly string[] {
  const others = withoutGroup(patterns, group);
  return patterns.includes(group.pattern) ? others : [...others, group.pattern];
}

/** Adds or removes one event. If its whole group was selected, the group's other events are listed one by one. */
export function toggleEvent(
  patterns: readonly string[],
  group: EventGroup,
  event: CatalogueEvent,
): readonly string[] {
  const wasChosen = isChosen(patterns, event);
  const kept = group.events
    .filter((other) => other.name !== event.name && isChosen(patterns, other))
    .map(({ name }) => name);
  return [...withoutGroup(patterns, group), ...kept, ...(wasChosen ? [] : [event.name])];
}

function withoutGroup(patterns: readonly string[], group: EventGroup): readonly string[] {
  const own = new Set([group.pattern, ...group.events.map(({ name }) => name)]);
  return patterns.filter((pattern) => !own.has(pattern));
}
