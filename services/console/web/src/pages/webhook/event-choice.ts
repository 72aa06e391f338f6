import type { eventCatalogue } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import type { z } from 'zod';

/** An event that a subscription can name. */
export type CatalogueEvent = z.output<typeof eventCatalogue>['events'][number];

/** Events that one pattern names together. */
export interface EventGroup {
  readonly name: string;
  /** What the group is about, e.g. `installation`. */
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
};

/** Tests are sent whatever a subscription names. */
const TEST_EVENT = 'install.test';

/** The groups with the events that a company of the class may have. */
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

/** Whether the patterns name the event, by its own name or with its group. */
export function isChosen(patterns: readonly string[], event: CatalogueEvent): boolean {
  return patterns.includes(event.name) || patterns.includes(`${event.group}.*`);
}

/** The patterns with the whole group, or with nothing of it when they had the whole group. */
export function toggleGroup(patterns: readonly string[], group: EventGroup): readonly string[] {
  const others = withoutGroup(patterns, group);
  return patterns.includes(group.pattern) ? others : [...others, group.pattern];
}

/** The patterns with or without one event. When the whole group was chosen, the others of it are named one by one. */
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
