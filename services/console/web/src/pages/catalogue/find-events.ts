import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';

/** Events of one group, in the order of the catalogue. */
export interface EventGroup {
  readonly group: string;
  readonly events: readonly CatalogueEvent[];
}

/** Returns the events whose name, meaning or fields contain all words of the search, by group. */
export function findEvents(
  events: readonly CatalogueEvent[],
  filter: { readonly search: string; readonly forClass?: CatalogueEvent['classes'][number] | undefined },
): readonly EventGroup[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, CatalogueEvent[]>();
  for (const event of events) {
    if (filter.forClass !== undefined && !event.classes.includes(filter.forClass)) continue;
    const text = `${event.name} ${event.meaning} ${JSON.stringify(event.example)}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    groups.set(event.group, [...(groups.get(event.group) ?? []), event]);
  }
  return [...groups].map(([group, found]) => ({ group, events: found }));
}
