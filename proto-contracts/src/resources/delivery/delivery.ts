import { z } from 'zod';
import { eventFilter } from '../event-catalogue/event-filter.js';
import { dateTimeIn, dateTimeOut } from '../../values/date-time.js';
import { filteredCursor, pageQuery } from '../../values/page.js';
import { attempt, attemptSummary, ATTEMPT_SUMMARY_EXAMPLE } from '../attempt/attempt.js';
import { EVENT_EXAMPLE } from '../event-catalogue/webhook-events.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';

export const DELIVERY_STATES = [
  'pending',
  'retry_scheduled',
  'delivered',
  'dead_lettered',
  'held',
  'cancelled',
] as const;

/** Visible to the owners of the company. To every other company it is 404. */
export const delivery = z
  .object({
    id: z.string().meta({ description: 'The id of the delivery.' }),
    subscriptionId: z.string().meta({ description: 'The subscription that receives it.' }),
    eventId: z.string().meta({ description: 'The `id` of the envelope, the same in every attempt.' }),
    event: z.string().meta({ description: 'The name of the event.' }),
    state: z.enum(DELIVERY_STATES).meta({
      description:
        '`held`: it continues when the subscription is active again. `cancelled`: the subscription was deleted before the delivery, or your server did not accept a test with a wrong signature or of another URL.',
    }),
    attempts: z.int().meta({ description: 'Number of attempts so far.' }),
    nextAttemptAt: dateTimeOut.nullable().meta({
      description:
        'When the next attempt is due. A time in the past: it waits for a free slot of the subscription, or for its rate. Null: an attempt is in flight, the delivery waits for another one (`waitsFor`) or is held, or it has ended.',
    }),
    waitsFor: z.string().nullable().meta({
      description:
        'The unfinished delivery that must end before this one is attempted, if the subscription is `ordered`; null if there is none.',
    }),
    createdAt: dateTimeOut,
    finishedAt: dateTimeOut
      .nullable()
      .meta({ description: 'When it was delivered, dead-lettered or canceled.' }),
    resource: z
      .object({
        type: z.string().meta({ description: 'The kind of resource, e.g. `install_job`.' }),
        id: z.string().meta({ description: 'The id of the resource.' }),
      })
      .meta({ id: 'DeliveryResource', description: 'What the event is about.' }),
    workOrderNo: z.string().nullable().meta({
      description: 'The work order number of the job that the event is about; null for another resource.',
    }),
    isTest: z
      .boolean()
      .meta({ description: 'Whether it is a test, which does not report that something happened.' }),
    replayOf: z
      .string()
      .nullable()
      .meta({ description: 'The delivery that this one replays; null for the first of its event.' }),
    bulkReplayId: z
      .string()
      .nullable()
      .meta({ description: 'The bulk replay or back-fill that queued it; null if none did.' }),
    wrongSignature: z.boolean().meta({
      description: 'True for a test that is signed wrongly on purpose: your server must refuse it.',
    }),
    testUrl: z.string().nullable().meta({
      description:
        "Where a test of another URL went: its host and the beginning of its path, then `…`. Null for every other delivery, which goes to the subscription's URL.",
    }),
    number: z.int().nullable().meta({
      description:
        "The event's number among those of the subscription, from 1 and without gaps: `x-svc-number`. Every attempt and replay of the event has the same. Null for a test, and for a delivery from before there were numbers.",
      format: 'int64',
    }),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of one event to one subscription.' });

export type Delivery = z.infer<typeof delivery>;

export const deliveryWithAttempts = z
  .object({
    delivery,
    attempts: z.array(attempt).meta({ description: 'Oldest first.' }),
    body: z.string().nullable().meta({
      description:
        'The exact body that every attempt sends. Null once the event is no longer kept; the delivery cannot be replayed then.',
    }),
  })
  .meta({ id: 'WebhookDeliveryWithAttempts', description: 'A delivery with its history and its body.' });

export type DeliveryWithAttempts = z.infer<typeof deliveryWithAttempts>;

export const listedDelivery = delivery
  .extend({
    lastAttempt: attemptSummary.nullable().meta({ description: 'Its last attempt; null before the first.' }),
  })
  .meta({ id: 'ListedWebhookDelivery', description: 'A delivery, with its last attempt.' });

export type ListedDelivery = z.infer<typeof listedDelivery>;

export const deliveryPage = z
  .object({
    deliveries: z.array(listedDelivery).meta({ description: 'Newest first.' }),
    nextCursor: filteredCursor,
  })
  .meta({ id: 'WebhookDeliveries', description: 'A page of deliveries, newest first.' });

export type DeliveryPage = z.infer<typeof deliveryPage>;

const listFields = z.object({
  ...pageQuery.shape,
  status: z.enum(DELIVERY_STATES).optional().meta({ description: 'Only deliveries in this state.' }),
  event: eventFilter,
  from: dateTimeIn.optional().meta({ description: 'Only deliveries created at this time or later.' }),
  to: dateTimeIn.optional().meta({ description: 'Only deliveries created before this time; after `from`.' }),
  resourceId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Only events about this resource, e.g. the id of a job.' }),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .meta({
      description:
        'Only deliveries that this names: the id of a delivery, of one of its attempts (`x-svc-delivery-id`), of its event, or of' +
        ' the resource that the event is about; or the work order number of a job of your company.',
    }),
});

type Span = Pick<z.infer<typeof listFields>, 'from' | 'to'>;

function refuseEmptySpan({ from, to }: Span, context: z.RefinementCtx): void {
  if (from === undefined || to === undefined || Date.parse(from) < Date.parse(to)) return;
  context.addIssue({ code: 'custom', path: ['to'], message: 'must be after from' });
}

export const deliveryQuery = listFields.superRefine(refuseEmptySpan);

const NUMBER = 'must be a number of an event, such as 417';

/** Decimal digits only. */
const eventNumber = (description: string) =>
  z
    .string({ error: NUMBER })
    .regex(/^\d{1,16}$/, NUMBER)
    .transform(Number)
    .pipe(z.int(NUMBER).min(1, NUMBER))
    .optional()
    .meta({ description, override: { type: 'integer', minimum: 1, format: 'int64' } });

export const webhookDeliveryQuery = listFields
  .extend({
    fromNumber: eventNumber(
      'Only events with this `x-svc-number` or a greater one. A replay has the number of its event.',
    ),
    toNumber: eventNumber('Only events with this `x-svc-number` or a smaller one.'),
  })
  .superRefine(refuseEmptySpan)
  .superRefine(({ fromNumber, toNumber }, context) => {
    if (fromNumber === undefined || toNumber === undefined || fromNumber <= toNumber) return;
    context.addIssue({ code: 'custom', path: ['toNumber'], message: 'must be at least fromNumber' });
  });

export const DELIVERY_EXAMPLE = {
  id: 'dlv_01k3jd7s2xf5ck9bq0vm4w8ynr',
  subscriptionId: SUBSCRIPTION_EXAMPLE.id,
  eventId: EVENT_EXAMPLE.id,
  event: EVENT_EXAMPLE.event,
  state: 'delivered',
  attempts: 1,
  nextAttemptAt: null,
  waitsFor: null,
  createdAt: '2026-09-03T12:31:07.412Z',
  finishedAt: '2026-09-03T12:31:07.690Z',
  resource: { type: EVENT_EXAMPLE.resource.type, id: EVENT_EXAMPLE.resource.id },
  workOrderNo: 'WO-77310',
  isTest: false,
  replayOf: null,
  bulkReplayId: null,
  wrongSignature: false,
  testUrl: null,
  number: 417,
} as const satisfies z.infer<typeof delivery>;

export const LISTED_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  lastAttempt: ATTEMPT_SUMMARY_EXAMPLE,
} as const satisfies z.infer<typeof listedDelivery>;

export const TEST_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  event: 'install.test',
  isTest: true,
  state: 'pending',
  attempts: 0,
  nextAttemptAt: DELIVERY_EXAMPLE.createdAt,
  finishedAt: null,
  resource: { type: 'webhook_subscription', id: SUBSCRIPTION_EXAMPLE.id },
  workOrderNo: null,
} as const satisfies z.infer<typeof delivery>;

export const PENDING_DELIVERY_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  id: 'dlv_01k3jd9w6ne3zr1v8xk5c2m4qa',
  state: 'pending',
  attempts: 0,
  createdAt: '2026-09-03T13:02:44.108Z',
  nextAttemptAt: '2026-09-03T13:02:44.108Z',
  finishedAt: null,
  replayOf: DELIVERY_EXAMPLE.id,
} as const satisfies z.infer<typeof delivery>;
