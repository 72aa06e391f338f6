import { z } from 'zod';
import { EVENT_PATTERNS, nearestEvent } from './nearest-event.js';

/** The optional filter of a list by event: a name of the catalogue or a group. */
export const eventFilter = z
  .string()
  .refine((pattern) => EVENT_PATTERNS.includes(pattern), {
    error: ({ input }) =>
      `must be an event in the catalog, or a group such as install.*${nearestEvent(input)}`,
  })
  .optional()
  .meta({
    description: 'Only this event, such as `install.status_changed`, or this group, such as `install.*`.',
    examples: ['install.status_changed'],
  });

/** The optional filter of a list by what its events are about. */
export const resourceFilter = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta({
    description:
      'Only events about this resource, e.g. the id of a job. For a project or a lead also those of its quotes, deposits,' +
      ' invoices, rebates and appointments.',
  });
