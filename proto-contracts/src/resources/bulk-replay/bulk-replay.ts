import { z } from 'zod';
import { ATTEMPT_OUTCOMES } from '../attempt/attempt.js';
import { eventFilter } from '../event-catalogue/event-filter.js';
import { dateTimeIn, dateTimeOut } from '../../values/date-time.js';
import { olderCursor } from '../../values/page.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';

export const REPLAYED_STATES = ['dead_lettered', 'delivered', 'retry_scheduled'] as const;

export const BULK_REPLAY_STATES = ['running', 'done', 'cancelled'] as const;

export const BULK_REPLAY_KINDS = ['replay', 'backfill', 'events'] as const;

export const BULK_REPLAY_MAX_DAYS = 90;

export const PREVIEWED_RESOURCES = 20;

/** Default rate of a bulk replay, and the rate of a back-fill, in deliveries per minute. */
export const DEFAULT_REPLAYS_PER_MINUTE = 600;

export const replaysPerMinute = z
  .int()
  .min(1)
  .max(60_000)
  .default(DEFAULT_REPLAYS_PER_MINUTE)
  .meta({ description: 'How many deliveries to queue in a minute.' });

const DAY_MS = 86_400_000;

/** Returns what is wrong with the end of a span of time; undefined: nothing. */
export function spanViolation(from: string, to: string): string | undefined {
  const spanMs = Date.parse(to) - Date.parse(from);
  if (spanMs <= 0) return 'must be after from';
  if (spanMs > BULK_REPLAY_MAX_DAYS * DAY_MS)
    return `must be at most ${BULK_REPLAY_MAX_DAYS} days after from`;
  return undefined;
}

const causeFields = {
  outcome: z.enum(ATTEMPT_OUTCOMES).meta({ description: 'How the last attempt ended.' }),
  responseStatus: z
    .int()
    .min(100)
    .max(599)
    .nullable()
    .meta({ description: 'The HTTP status of its response; null without a response.' }),
};

const failureCauseIn = z.object(causeFields).meta({
  id: 'WebhookFailureCauseIn',
  description: 'How the last attempt of the deliveries to repeat failed.',
});

const failureCause = z
  .object(causeFields)
  .meta({ id: 'WebhookFailureCause', description: 'How the last attempt of deliveries failed.' });

export type FailureCause = z.infer<typeof failureCause>;

export const bulkReplayIn = z
  .object({
    states: z.array(z.enum(REPLAYED_STATES)).min(1).max(10).meta({
      description:
        'Which deliveries to repeat: `dead_lettered` ones whose event has not been delivered since, and `delivered` ones. For `retry_scheduled` ones the next scheduled attempt comes now.',
    }),
    from: dateTimeIn.meta({ description: 'Deliveries created at this time or later.' }),
    to: dateTimeIn.meta({
      description: `Deliveries created before this time; after \`from\`, by at most ${BULK_REPLAY_MAX_DAYS} days.`,
    }),
    event: eventFilter,
    cause: failureCauseIn
      .optional()
      .meta({ description: 'Only deliveries whose last attempt failed like this; absent: all.' }),
    perMinute: replaysPerMinute,
    preview: z.boolean().default(false).meta({ description: 'True: only returns a preview.' }),
  })
  .superRefine(({ from, to }, context) => {
    const message = spanViolation(from, to);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['to'], message });
  })
  .meta({
    id: 'WebhookBulkReplayIn',
    description: 'Which deliveries of a subscription to repeat or retry, and how fast.',
  });

export const bulkReplayPreview = z
  .object({
    deliveries: z.int().meta({ description: 'How many would be queued, one for each event.' }),
    atLeast: z.boolean().meta({
      description:
        'True: the span has more deliveries than the 100,000 that are counted. This preview covers the oldest ones; the replay queues the others too.',
    }),
    oldest: dateTimeOut.nullable().meta({ description: 'Creation of the oldest of them.' }),
    newest: dateTimeOut.nullable().meta({ description: 'Creation of the newest of them.' }),
    resourceCount: z.int().meta({ description: 'How many resources they are about.' }),
    resources: z
      .array(
        z
          .object({
            type: z.string().meta({ description: 'The kind of resource, e.g. `install_job`.' }),
            id: z.string().meta({ description: 'The id of the resource.' }),
            workOrderNo: z.string().nullable().meta({
              description: 'The work order number of the job; null for another resource.',
            }),
            deliveries: z.int().meta({ description: 'Number of deliveries about it.' }),
          })
          .meta({ id: 'ReplayedResource', description: 'A resource and the number of deliveries about it.' }),
      )
      .meta({ description: `The ${PREVIEWED_RESOURCES} resources with the most of them.` }),
    estimatedMinutes: z.int().meta({ description: 'How long it takes to queue them at the rate.' }),
  })
  .meta({ id: 'WebhookBulkReplayPreview', description: 'Preview of a bulk replay.' });

export type BulkReplayPreview = z.infer<typeof bulkReplayPreview>;

/**
 * Visible to the owners of the company and, if it is of the kind `events`, to its API keys that have the scope
 * `events:replay`. To every other company it is 404.
 */
export const bulkReplay = z
  .object({
    id: z.string().meta({ description: 'The id of the bulk replay.' }),
    subscriptionId: z.string().meta({ description: 'The subscription that it sends to.' }),
    kind: z.enum(BULK_REPLAY_KINDS).meta({
      description:
        '`replay`: it repeats deliveries. `backfill`: it queues the events of a pause, as the activation requested. `events`: it queues the events that an API key requested. New kinds come without a new version.',
    }),
    states: z
      .array(z.enum(REPLAYED_STATES))
      .nullable()
      .meta({ description: 'Which deliveries it repeats; null for the other kinds.' }),
    event: z.string().nullable().meta({ description: 'The event or group that it is limited to.' }),
    cause: failureCause.nullable().meta({ description: 'The failure that it is limited to; null: none.' }),
    from: dateTimeOut.meta({
      description:
        'The start of its span. Of events that were selected by number or id: when the first was recorded.',
    }),
    to: dateTimeOut.meta({ description: 'The end of its span.' }),
    perMinute: z.int().meta({ description: 'How many deliveries it queues in a minute, at most.' }),
    state: z.enum(BULK_REPLAY_STATES).meta({ description: 'Whether it still queues deliveries.' }),
    total: z.int().meta({
      description:
        'Deliveries to queue at its start; a lower bound if `atLeast` is true. It can queue more, or fewer, because it skips events that are pending by then.',
    }),
    atLeast: z.boolean().meta({
      description:
        'True: there were more than the 100,000 that are counted. All of them are queued, so that `queued` can pass `total`.',
    }),
    queued: z.int().meta({ description: 'Number of queued deliveries.' }),
    createdAt: dateTimeOut,
    finishedAt: dateTimeOut.nullable(),
  })
  .meta({ id: 'WebhookBulkReplay', description: 'A bulk replay or back-fill with its progress.' });

export type BulkReplay = z.infer<typeof bulkReplay>;

export const bulkReplayPage = z
  .object({
    replays: z.array(bulkReplay).meta({ description: 'Newest first.' }),
    nextCursor: olderCursor,
  })
  .meta({ id: 'WebhookBulkReplays', description: 'A page of bulk replays, newest first.' });

export type BulkReplayPage = z.infer<typeof bulkReplayPage>;

export const BULK_REPLAY_EXAMPLE = {
  id: 'rpl_01k3jf0c8vey3r6m5w2tq9xzbn',
  subscriptionId: SUBSCRIPTION_EXAMPLE.id,
  kind: 'replay',
  states: ['dead_lettered'],
  event: 'install.*',
  cause: { outcome: 'rejected', responseStatus: 503 },
  from: '2026-09-03T06:00:00.000Z',
  to: '2026-09-03T12:00:00.000Z',
  perMinute: 600,
  state: 'running',
  total: 1_284,
  atLeast: false,
  queued: 310,
  createdAt: '2026-09-03T13:05:00.000Z',
  finishedAt: null,
} as const satisfies z.infer<typeof bulkReplay>;
