import { z } from 'zod';
import { eventFilter, resourceFilter } from '../event-catalogue/event-filter.js';
import { EVENT_EXAMPLE, eventResource } from '../event-catalogue/webhook-events.js';
import { dateTimeOut } from '../../values/date-time.js';
import { filteredCursor, pageQuery } from '../../values/page.js';
import { attemptSummary } from '../attempt/attempt.js';
import { delivery, DELIVERY_EXAMPLE, DELIVERY_STATES } from '../delivery/delivery.js';

/** Outcome of an event for one subscription: queued, or why it was not. */
export const EVENT_VERDICTS = [
  'queued',
  'paused',
  'not_subscribed',
  'schema_version',
  'fields',
  'class',
  'created_later',
  'deleted',
  'no_longer_kept',
] as const;

/**
 * Visible to the owners of the company. To every other company it is 404. The class of the company decides which events it
 * has.
 */
export const event = z
  .object({
    id: z.string().meta({ description: 'The `id` of the envelope.' }),
    event: z.string().meta({ description: 'The name of the event.' }),
    occurredAt: dateTimeOut.meta({ description: 'When it happened, as in the envelope.' }),
    committedAt: dateTimeOut.meta({ description: 'When the change behind it was recorded.' }),
    resource: eventResource,
    summary: z.string().nullable().meta({
      description: 'What changed, for people, e.g. `EN_ROUTE → ON_SITE`; null if the name says it.',
    }),
    schemaVersion: z.int().meta({ description: 'The schema version of its payload.' }),
    requestId: z
      .string()
      .nullable()
      .meta({ description: 'The `x-request-id` of the request that caused it; null if none did.' }),
    isTest: z.boolean().meta({
      description: 'Whether it was sent as a test, to one subscription; then nothing happened.',
    }),
  })
  .meta({ id: 'WebhookEvent', description: 'One event of your company.' });

export type WebhookEvent = z.infer<typeof event>;

const eventTrail = z
  .object({
    subscriptionId: z.string().meta({ description: 'The id of the subscription.' }),
    verdict: z.enum(EVENT_VERDICTS).meta({ description: '`queued`, or why the event was not queued.' }),
    explanation: z.string().meta({ description: 'The verdict in a sentence.' }),
    deliveries: z
      .array(
        z
          .object({
            delivery,
            attempts: z
              .array(attemptSummary)
              .meta({ description: 'Oldest first. Read the delivery to see all of them.' }),
          })
          .meta({ id: 'WebhookDeliveryTrail', description: 'A delivery of an event with its attempts.' }),
      )
      .meta({ description: 'Newest first; of one event at most 100 are shown.' }),
  })
  .meta({ id: 'WebhookEventTrail', description: 'The outcome of an event for one subscription.' });

export type EventTrail = z.infer<typeof eventTrail>;

export const eventWithTrail = z
  .object({
    event,
    body: z.string().meta({ description: 'The exact body that every attempt sends.' }),
    subscriptions: z.array(eventTrail).meta({
      description: 'Every subscription of your company, oldest first; of deleted ones the 50 newest.',
    }),
  })
  .meta({
    id: 'WebhookEventWithTrail',
    description: 'An event with its body and its outcome for each subscription.',
  });

export type EventWithTrail = z.infer<typeof eventWithTrail>;

const listedEvent = event
  .extend({
    deliveryStates: z.array(z.enum(DELIVERY_STATES)).meta({
      description:
        'The different states of its deliveries, of each subscription the newest one; empty without a delivery.',
    }),
  })
  .meta({
    id: 'ListedWebhookEvent',
    description: 'An event of your company with the state of its deliveries.',
  });

export const eventPage = z
  .object({
    events: z.array(listedEvent).meta({ description: 'Newest first.' }),
    nextCursor: filteredCursor,
    explanation: z
      .string()
      .nullable()
      .meta({ description: 'Why there is no event about the `resourceId`; null when there is one.' }),
  })
  .meta({ id: 'WebhookEvents', description: 'A page of events, newest first.' });

export type EventPage = z.infer<typeof eventPage>;

export const eventQuery = z.object({
  ...pageQuery.shape,
  event: eventFilter,
  resourceId: resourceFilter.meta({
    description:
      'Only events about this resource, e.g. the id of a job, or about the jobs of your company with this work order number. For a' +
      ' project or a lead also those of its quotes, deposits, invoices, rebates and appointments.',
  }),
});

/** The event of {@link EVENT_EXAMPLE} as the trail shows it. */
export const TRAIL_EVENT_EXAMPLE = {
  id: EVENT_EXAMPLE.id,
  event: EVENT_EXAMPLE.event,
  occurredAt: EVENT_EXAMPLE.occurredAt,
  committedAt: DELIVERY_EXAMPLE.createdAt,
  resource: EVENT_EXAMPLE.resource,
  summary: 'ACKNOWLEDGED → EN_ROUTE',
  schemaVersion: EVENT_EXAMPLE.schemaVersion,
  requestId: '0198f5c2-9d1e-7c3a-b6a4-2f60d1e8c7b5',
  isTest: false,
} as const satisfies z.infer<typeof event>;
