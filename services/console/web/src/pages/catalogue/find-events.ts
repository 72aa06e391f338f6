import type { CatalogueEvent } from '@partner/proto-contracts/resources/event-catalogue/event-catalogue';
import { type EventGroup, groupEvents } from '../../webhook-facts.js';

/** Returns the events whose name, meaning or fields contain all words of the search, by group. */
export function findEvents(
  events: readonly CatalogueEvent[],
  filter: { readonly search: string; readonly forClass?: CatalogueEvent['classes'][number] | undefined },
): readonly EventGroup[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  return groupEvents(
    events.filter(({ classes, ...event }) => {
      if (filter.forClass !== undefined && !classes.includes(filter.forClass)) return false;
      // Nearly every event can name most fields of its resource as changed.
      const { changed: _changed, ...example } = event.example;
      const text = `${event.name} ${event.meaning} ${JSON.stringify(example)}`.toLowerCase();
      return words.every((word) => text.includes(word));
    }),
  );
}
