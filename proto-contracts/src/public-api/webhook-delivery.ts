import { z } from 'zod';
import { dateTimeIn, dateTimeOut } from './date-time.js';
import { pageLimit } from './page-limit.js';
import { eventsNamedBy } from './webhook-events.js';

export const DELIVERY_STATES = [
  'pending',
  'retry_scheduled',
  'delivered',
  'dead_lettered',
  'held',
  'cancelled',
] as const;

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

/** Delivery of one event to one subscription. */
export const delivery = z
  .object({
    id: z.string().meta({ description: 'The id of the delivery.' }),
    subscriptionId: z.string().meta({ description: 'The subscription that it goes to.' }),
    eventId: z.string().meta({ description: 'The `id` of the envelope, the same in every attempt.' }),
    event: z.string().meta({ description: 'The name of the event.' }),
    state: z.enum(DELIVERY_STATES).meta({
      description:
        '`held`: it goes on when the subscription is active again. `cancelled`: the subscription was deleted before it was delivered.',
    }),
    attempts: z.int().meta({ description: 'How many were made.' }),
    nextAttemptAt: dateTimeOut.nullable().meta({
      description:
        'When the next attempt is due. A time in the past: it waits for a free slot of the subscription. Null: an attempt is in flight, the delivery is held, or it has ended.',
    }),
    createdAt: dateTimeOut,
    finishedAt: dateTimeOut
      .nullable()
      .meta({ description: 'When it was delivered, dead-lettered or cancelled.' }),
    resource: z
      .object({
        type: z.string().meta({ description: 'The kind of resource, e.g. `install_job`.' }),
        id: z.string().meta({ description: 'The id of the resource.' }),
      })
      .meta({ id: 'DeliveryResource', description: 'What the event is about.' }),
    replayOf: z
      .string()
      .nullable()
      .meta({ description: 'The delivery that this one repeats; null for the first of its event.' }),
    bulkReplayId: z
      .string()
      .nullable()
      .meta({ description: 'The bulk replay or back-fill that queued it; null when none did.' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event on its way to one subscription.' });

export type Delivery = z.infer<typeof delivery>;

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'rejected',
  'timed_out',
  'tls_failed',
  'connection_failed',
  'endpoint_refused',
] as const;

/** Result of each step of one attempt; null: not reached. */
export const exchangeTrace = z
  .object({
    dnsMs: z.int().nullable().meta({ description: 'Name resolution.' }),
    addresses: z.array(z.string()).meta({ description: 'What the name led to, at most 16 addresses.' }),
    connectMs: z
      .int()
      .nullable()
      .meta({ description: 'Until the connection stood; null when a kept one was used.' }),
    tlsMs: z.int().nullable().meta({ description: 'The TLS handshake.' }),
    tlsProtocol: z.string().nullable().meta({ description: 'Such as `TLSv1.3`.' }),
    certificate: z
      .object({
        subject: z.string().nullable().meta({ description: 'Whom it names.' }),
        issuer: z.string().nullable().meta({ description: 'Who issued it.' }),
        validTo: dateTimeOut.nullable(),
      })
      .meta({ id: 'EndpointCertificate', description: 'The certificate of your server.' })
      .nullable()
      .meta({ description: 'The certificate that your server showed; null when it showed none.' }),
    reusedConnection: z.boolean().meta({ description: 'Whether a kept connection was used again.' }),
    firstByteMs: z
      .int()
      .nullable()
      .meta({ description: "From the last byte of the request to the answer's first." }),
  })
  .meta({ id: 'WebhookExchange', description: 'The steps of one attempt.' });

export type ExchangeSteps = z.infer<typeof exchangeTrace>;

/** One attempt of a delivery; `deliveryId` is what the receiver saw in `x-svc-delivery-id`. */
export const attempt = z
  .object({
    deliveryId: z.string().meta({ description: 'What the receiver saw in `x-svc-delivery-id`.' }),
    number: z.int().meta({ description: 'Counts from 1.' }),
    startedAt: dateTimeOut,
    durationMs: z.int().meta({ description: 'How long the attempt took.' }),
    outcome: z.enum(ATTEMPT_OUTCOMES).meta({
      description:
        '`rejected`: the receiver answered with another status than 2xx. `endpoint_refused`: the URL leads to an address that is not public.',
    }),
    responseStatus: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the response; null without a response.' }),
    responseBody: z
      .string()
      .nullable()
      .meta({ description: 'The first 4 KiB of what the receiver answered.' }),
    error: z.string().nullable().meta({ description: 'What went wrong, for a person.' }),
    remoteAddress: z.string().nullable().meta({ description: 'The address that was dialled.' }),
    secretVersion: z.int().meta({ description: 'The version of the secret that signed it.' }),
    exchange: exchangeTrace.nullable().meta({
      description:
        'What became of each of its steps, in milliseconds of that step alone; null when nothing is known of them.',
    }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One attempt of a delivery.' });

export type Attempt = z.infer<typeof attempt>;

/** An attempt as lists show it. */
export const attemptSummary = attempt
  .pick({
    deliveryId: true,
    number: true,
    startedAt: true,
    durationMs: true,
    outcome: true,
    responseStatus: true,
    error: true,
  })
  .meta({ id: 'WebhookAttemptSummary', description: 'One attempt, in short.' });

export type AttemptSummary = z.infer<typeof attemptSummary>;

/** A delivery with its history and the body that every attempt sends. */
export const deliveryWithAttempts = z
  .object({
    delivery,
    attempts: z.array(attempt).meta({ description: 'Oldest first.' }),
    body: z.string().nullable().meta({
      description:
        'The exact body that every attempt sends; null once the event is no longer kept, and the delivery can not be replayed.',
    }),
  })
  .meta({ id: 'WebhookDeliveryWithAttempts', description: 'A delivery with its history and its body.' });

export type DeliveryWithAttempts = z.infer<typeof deliveryWithAttempts>;

/** A page of deliveries, newest first. */
export const deliveryPage = z
  .object({
    deliveries: z.array(delivery).meta({ description: 'Newest first.' }),
    nextCursor: z.string().nullable().meta({
      description:
        'Send it as `cursor` for older ones; null when there are none. With a filter, a page can hold fewer than `limit`, even none, and still have one: go on until it is null.',
    }),
  })
  .meta({ id: 'WebhookDeliveries', description: 'A page of deliveries, newest first.' });

export type DeliveryPage = z.infer<typeof deliveryPage>;

/** The `cursor` of a list. */
export const pageCursor = z
  .string()
  .max(200)
  .optional()
  .meta({ description: 'The `nextCursor` of an earlier answer.' });

/** The query of a list of deliveries. */
export const deliveryQuery = z
  .object({
    cursor: pageCursor,
    limit: pageLimit({ default: 50, max: 100 }),
    status: z.enum(DELIVERY_STATES).optional().meta({ description: 'Only deliveries in this state.' }),
    event: eventFilter.optional(),
    from: dateTimeIn.optional().meta({ description: 'Only deliveries created at this time or later.' }),
    to: dateTimeIn
      .optional()
      .meta({ description: 'Only deliveries created before this time; after `from`.' }),
    resourceId: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'Only events about this resource, e.g. the id of a job.' }),
  })
  .superRefine(({ from, to }, context) => {
    if (from === undefined || to === undefined || Date.parse(from) < Date.parse(to)) return;
    context.addIssue({ code: 'custom', path: ['to'], message: 'must be after from' });
  });
