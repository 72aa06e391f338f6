import { z } from 'zod';
import { eventsNamedBy } from './catalogue.js';

/** The filter of a list by event: a name of the catalogue or a group. */
export const eventFilter = z
  .string()
  .refine(
    (pattern) => eventsNamedBy(pattern).length > 0,
    'must be an event of the catalogue, or a group such as install.*',
  )
  .meta({
    description: 'Only this event, such as `install.status_changed`, or this group, such as `install.*`.',
    examples: ['install.status_changed'],
  });
