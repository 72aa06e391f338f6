import { z } from 'zod';
import { eventFilter } from '../event-catalogue/event-filter.js';
import { EVENT_EXAMPLE } from '../event-catalogue/webhook-events.js';
import { dateTimeIn, dateTimeOut } from '../../values/date-time.js';
import {
  BULK_REPLAY_EXAMPLE,
  BULK_REPLAY_MAX_DAYS,
  bulkReplay,
  replaysPerMinute,
  spanViolation,
} from '../bulk-replay/bulk-replay.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';

const EVENT_REPLAY_MAX_NUMBERS = 100_000;

const EVENT_REPLAY_MAX_IDS = 1_000;

const sequence = z.int().min(1);

const LENGTH = EVENT_REPLAY_MAX_NUMBERS.toLocaleString('en');

/** The three selections of a replay, as the API reference has them: exactly one of them. */
const SELECTIONS = [
  { title: 'EventReplayByNumbers', required: ['fromSequence', 'toSequence'] },
  { title: 'EventReplayByTime', required: ['from', 'to'] },
  { title: 'EventReplayByIds', required: ['eventIds'] },
] as const;

export const eventReplayIn = z
  .object({
    subscriptionId: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({
        description:
          'The webhook subscription of your company to send to. Without it: every active one that receives at least one of the events.',
        examples: [SUBSCRIPTION_EXAMPLE.id],
      }),
    fromSequence: sequence
      .optional()
      .meta({ description: 'Events from this `sequence` on.', format: 'int64' }),
    toSequence: sequence.optional().meta({
      description: `Events up to this \`sequence\`, at most ${LENGTH} numbers in all.`,
      format: 'int64',
    }),
    from: dateTimeIn.optional().meta({ description: 'Events recorded at this time or later.' }),
    to: dateTimeIn.optional().meta({
      description: `Events recorded before this time; after \`from\`, by at most ${BULK_REPLAY_MAX_DAYS} days.`,
    }),
    eventIds: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(EVENT_REPLAY_MAX_IDS)
      .optional()
      .meta({ description: 'These events, by `id`.' }),
    event: eventFilter,
    perMinute: replaysPerMinute,
  })
  .superRefine((body, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const { fromSequence, toSequence, from, to, eventIds } = body;
    const bySequence = fromSequence !== undefined || toSequence !== undefined;
    const byTime = from !== undefined || to !== undefined;
    if ([bySequence, byTime, eventIds !== undefined].filter(Boolean).length !== 1) {
      const path = eventIds === undefined ? (byTime ? 'from' : 'fromSequence') : 'eventIds';
      refuse(path, 'send exactly one of fromSequence and toSequence, from and to, eventIds');
      return;
    }
    if (bySequence) {
      if (fromSequence === undefined) refuse('fromSequence', 'is required together with toSequence');
      else if (toSequence === undefined) refuse('toSequence', 'is required together with fromSequence');
      else if (toSequence < fromSequence) refuse('toSequence', 'must be at least fromSequence');
      else if (toSequence - fromSequence >= EVENT_REPLAY_MAX_NUMBERS)
        refuse('toSequence', `must be less than fromSequence + ${LENGTH}`);
    }
    if (byTime) {
      if (from === undefined) refuse('from', 'is required together with to');
      else if (to === undefined) refuse('to', 'is required together with from');
      else {
        const violation = spanViolation(from, to);
        if (violation !== undefined) refuse('to', violation);
      }
    }
  })
  .meta({
    id: 'EventReplayIn',
    description: 'Which events of your company to send again, where to, and how fast.',
    override: ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
      const { type, properties } = jsonSchema;
      const fields = Object.entries(z.record(z.string(), z.unknown()).parse(properties));
      const ofOthers = (own: readonly string[], name: string) =>
        !own.includes(name) && SELECTIONS.some(({ required }) => required.some((each) => each === name));
      Reflect.deleteProperty(jsonSchema, 'type');
      Reflect.deleteProperty(jsonSchema, 'properties');
      Object.assign(jsonSchema, {
        oneOf: SELECTIONS.map(({ title, required }) => ({
          type,
          title,
          properties: Object.fromEntries(fields.filter(([name]) => !ofOthers(required, name))),
          required,
        })),
      });
    },
  });

/** Visible to the API keys of the company that have the scope `events:replay`. */
export const eventReplays = z
  .object({
    replays: z.array(bulkReplay).meta({ description: 'One for each webhook subscription.' }),
  })
  .meta({ id: 'EventReplays', description: 'The replays that the request has started.' });

export type EventReplays = z.infer<typeof eventReplays>;

/** Visible to the API keys of the company that have the scope `events:replay`. */
export const eventReplayPreview = z
  .object({
    webhooks: z
      .array(
        z
          .object({
            subscriptionId: z.string().meta({ description: 'The webhook subscription.' }),
            events: z.int().meta({
              description:
                'How many of the events it receives. The replay skips those with an unfinished delivery to it.',
            }),
          })
          .meta({ id: 'PreviewedWebhook', description: 'A webhook and the number of its events.' }),
      )
      .meta({ description: 'Where the events would be sent.' }),
    atLeast: z.boolean().meta({
      description: 'True: there are more than the 100,000 events that are counted. All of them are replayed.',
    }),
    from: dateTimeOut.meta({
      description: 'The start of the span. Of events selected by number or id: when the first was recorded.',
    }),
    to: dateTimeOut.meta({ description: 'The end of the span.' }),
  })
  .meta({ id: 'EventReplayPreview', description: 'What a replay of events would send.' });

export type EventReplayPreview = z.infer<typeof eventReplayPreview>;

export const EVENT_REPLAY_PREVIEW_EXAMPLE = {
  webhooks: [{ subscriptionId: SUBSCRIPTION_EXAMPLE.id, events: 17 }],
  atLeast: false,
  from: '2026-09-03T06:00:00.000Z',
  to: '2026-09-03T08:00:00.000Z',
} as const satisfies EventReplayPreview;

export const EVENT_REPLAY_EXAMPLE = {
  ...BULK_REPLAY_EXAMPLE,
  kind: 'events',
  states: null,
  event: null,
  total: 17,
  queued: 17,
  state: 'done',
  finishedAt: '2026-09-03T13:05:03.220Z',
} as const satisfies z.infer<typeof bulkReplay>;

export const EVENT_REPLAY_REQUESTS = {
  ids: {
    summary: 'Events by id',
    value: { subscriptionId: SUBSCRIPTION_EXAMPLE.id, eventIds: [EVENT_EXAMPLE.id] },
  },
  numbers: {
    summary: 'A span of numbers, to every webhook',
    value: { fromSequence: 8123, toSequence: 8139, perMinute: 60 },
  },
  time: {
    summary: 'Two hours of one group',
    value: { from: '2026-09-03T06:00:00Z', to: '2026-09-03T08:00:00Z', event: 'install.*' },
  },
} as const satisfies Readonly<
  Record<string, { readonly summary: string; readonly value: z.input<typeof eventReplayIn> }>
>;
