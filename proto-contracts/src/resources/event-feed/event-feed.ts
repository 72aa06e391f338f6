import { z } from 'zod';
import { eventFilter, resourceFilter } from '../event-catalogue/event-filter.js';
import { EVENT_PATTERNS } from '../event-catalogue/nearest-event.js';
import { EVENT_EXAMPLE } from '../event-catalogue/webhook-events.js';
import { fieldViolation } from '../subscription/field-filter.js';
import { pageLimit } from '../../values/page.js';

export const feedEventHeaders = z
  .object({
    'x-svc-event': z.string().meta({ description: 'The name of the event.' }),
    'x-svc-timestamp': z.string().meta({ description: 'When this response was signed, in Unix seconds.' }),
    'x-svc-signature': z.string().meta({ description: '`v1=` and the lowercase hex HMAC-SHA256.' }),
    'webhook-id': z.string().meta({ description: 'The id of the event.' }),
    'webhook-timestamp': z.string().meta({ description: 'The same as `x-svc-timestamp`.' }),
    'webhook-signature': z.string().meta({ description: 'The Standard Webhooks signature.' }),
  })
  .meta({
    id: 'FeedEventHeaders',
    description:
      'Headers of a webhook, as far as they say something about the event. The signing secret is `whsec_` and the base64 of your API key.',
  });

/**
 * Visible to the API keys of the company that have the scope `events:read`. The class of the company decides which events it
 * has.
 */
export const eventFeed = z
  .object({
    events: z
      .array(
        z
          .object({
            sequence: z
              .int()
              .min(1)
              .meta({
                description:
                  "The event's number among those of your company: in the order of the changes, without gaps. A number that you do" +
                  ' not see belongs to an event that was withdrawn before it was sent, or that your filter left out.',
                format: 'int64',
              }),
            headers: feedEventHeaders,
            body: z.string().meta({
              description:
                'The envelope as text, byte for byte as each webhook of the event has it. Verify it before you parse it.',
            }),
          })
          .meta({ id: 'FeedEvent', description: 'One event of your company.' }),
      )
      .meta({ description: 'Oldest first.' }),
    nextCursor: z.string().meta({
      description: 'Send it as `cursor` to continue from here. Keep the last one.',
    }),
    hasMore: z.boolean().meta({
      description:
        'True: there is a next page; read it immediately. With a filter, a page can be empty and `hasMore` true.',
    }),
  })
  .meta({ id: 'EventFeed', description: 'A page of the events of your company, oldest first.' });

export const eventFeedQuery = z
  .object({
    cursor: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'The `nextCursor` of an earlier response, unchanged.' }),
    from: z.enum(['end']).optional().meta({
      description:
        '`end`: return no events, only the cursor for those to come. Without it, a reader without a cursor begins at the oldest event that is kept. With a cursor, it makes no difference.',
    }),
    limit: pageLimit({ default: 50, max: 100 }),
    event: eventFilter,
    resourceId: resourceFilter,
    fields: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .meta({
        description:
          'Names of fields, separated by commas: of the events that have `changed`, only those of which one of these fields changed.',
        examples: ['schedule.startsAt,schedule.endsAt'],
      }),
  })
  .superRefine(({ event, fields }, context) => {
    if (fields === undefined) return;
    const violation = fieldViolation(event === undefined ? EVENT_PATTERNS : [event], fields.split(','));
    if (violation !== undefined)
      context.addIssue({ code: 'custom', path: ['fields'], message: violation.message });
  });

/** A page with one event. Its headers are signed with an example key. */
export const EVENT_FEED_EXAMPLE = {
  events: [
    {
      sequence: 8123,
      headers: {
        'x-svc-event': EVENT_EXAMPLE.event,
        'x-svc-timestamp': '1788021612',
        'x-svc-signature': 'v1=7c5f0a8f0f0f2b9b3e4f4f5f4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a',
        'webhook-id': EVENT_EXAMPLE.id,
        'webhook-timestamp': '1788021612',
        'webhook-signature': 'v1,fF8KjwWkM2u0ZkqT3l1xq8m3o1l7pRkq4c2ZzQ0m8eY=',
      },
      body: JSON.stringify(EVENT_EXAMPLE),
    },
  ],
  nextCursor: 'AwAAUNMAAAAAAAAB9sZKBa6DtWtebT1XO1XoORoCNw',
  hasMore: false,
} as const satisfies z.infer<typeof eventFeed>;
