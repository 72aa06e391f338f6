import { z } from 'zod';

/** Events of a company as job-state returns them to a gateway, which signs each for its reader. */
export const unsignedEvents = z.object({
  events: z.array(
    z.object({
      /** Its number among the company's events, a decimal text. */
      sequence: z.string().regex(/^\d+$/),
      eventId: z.string(),
      event: z.string(),
      /** The exact body that webhooks of the event have. */
      body: z.string(),
    }),
  ),
});

export type UnsignedEvent = z.infer<typeof unsignedEvents>['events'][number];
