import { z } from 'zod';
import { EVENT_PATTERNS, nearestEvent } from './nearest-event.js';

/** The optional filter of a list by event: a name of the catalogue or a group. */
export const eventFilter = z
  .string()
  .refine((pattern) => EVENT_PATTERNS.includes(pattern), {
    error: ({ input }) =>
      `must be an event of the catalogue, or a group such as install.*${nearestEvent(input)}`,
  })
  .optional()
  .meta({
    description: 'Only this event, such as `install.status_changed`, or this group, such as `install.*`.',
    examples: ['install.status_changed'],
  });
