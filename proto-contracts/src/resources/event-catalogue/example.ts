import type { z } from 'zod';
import { createEventCatalogue, type eventCatalogue } from './event-catalogue.js';

/** An example of the catalogue with one event. */
export function catalogueExample(): z.infer<typeof eventCatalogue> {
  const { events, ...rest } = createEventCatalogue();
  return { events: events.filter(({ name }) => name === 'install.job_unassigned'), ...rest };
}
