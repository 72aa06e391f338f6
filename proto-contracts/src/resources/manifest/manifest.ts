import { z } from 'zod';
import { EVENT_EXAMPLE } from '../event-catalogue/webhook-events.js';
import { dateTimeIn, dateTimeOut } from '../../values/date-time.js';
import { pageCursor, pageLimit } from '../../values/page.js';
import { DELIVERY_EXAMPLE, DELIVERY_STATES } from '../delivery/delivery.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';

export const MANIFEST_MAX_DAYS = 31;

/** Visible to the API keys of the company that have the scope `events:read`. To every other company the subscription is 404. */
export const manifest = z
  .object({
    subscriptionId: z.string().meta({ description: 'The webhook subscription.' }),
    entries: z
      .array(
        z
          .object({
            number: z.int().min(1).nullable().meta({
              description:
                "The event's number among those of the subscription: the `x-svc-number` of its deliveries. Null if it was queued before deliveries had numbers.",
              format: 'int64',
            }),
            eventId: z.string().meta({ description: 'The `id` of the event.' }),
            event: z.string().meta({ description: 'The name of the event.' }),
            outcome: z.enum(DELIVERY_STATES).meta({
              description: 'The state of its newest delivery to the subscription, replays included.',
            }),
            queuedAt: dateTimeOut.optional().meta({ description: 'When it was queued.' }),
            finishedAt: dateTimeOut.nullable().optional().meta({
              description:
                'When the newest delivery was accepted, dead-lettered or canceled; null before that.',
            }),
          })
          .meta({ id: 'ManifestEntry', description: 'An event that was queued to a subscription.' }),
      )
      .meta({ description: 'In the order in which they were queued.' }),
    nextCursor: z.string().nullable().meta({
      description:
        'Send it as `cursor`, with the same span, for the next page; null on the last one. A page can have fewer entries than `limit`, even none, and still have one.',
    }),
  })
  .meta({
    id: 'WebhookManifest',
    description: 'The events that were queued to a webhook in a span of time.',
  });

export type Manifest = z.infer<typeof manifest>;

export const manifestQuery = z.object({
  from: dateTimeIn
    .optional()
    .meta({ description: 'Events queued at this time or later; without it, an hour before `to`.' }),
  to: dateTimeIn.optional().meta({
    description: `Events queued before this time, at most ${MANIFEST_MAX_DAYS} days after \`from\`; without it, now.`,
  }),
  cursor: pageCursor,
  limit: pageLimit({ default: 1_000, max: 1_000 }),
});

export const MANIFEST_EXAMPLE = {
  subscriptionId: SUBSCRIPTION_EXAMPLE.id,
  entries: [
    {
      number: DELIVERY_EXAMPLE.number,
      eventId: EVENT_EXAMPLE.id,
      event: EVENT_EXAMPLE.event,
      outcome: 'delivered',
      queuedAt: DELIVERY_EXAMPLE.createdAt,
      finishedAt: DELIVERY_EXAMPLE.finishedAt,
    },
  ],
  nextCursor: null,
} as const satisfies Manifest;
