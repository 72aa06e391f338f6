import { z } from 'zod';
import { CURRENT_SCHEMA_VERSION } from '../../api/versions.js';
import { dateTimeOut } from '../../values/date-time.js';
import { ATTEMPT_OUTCOMES } from '../attempt/attempt.js';
import { headerValues } from '../subscription/custom-headers.js';
import { subscriptionFields } from '../subscription/subscription.js';

/** Bounds of the shadow of a subscription. */
export const SHADOW_LIMITS = {
  hours: 168,
  defaultHours: 24,
  /** Deliveries with different outcomes that are kept, newest first. */
  differences: 20,
  /** A test without a result by then got none. */
  testSeconds: 60,
  /** Shadows that the owners of a company can start within `startWindowSeconds`. */
  startsPerCompany: 10,
  startWindowSeconds: 60,
} as const;

/** Body of `POST /partner-api/webhooks/{id}/shadow`. */
export const shadowIn = subscriptionFields(CURRENT_SCHEMA_VERSION)
  .creation.pick({ url: true })
  .extend({
    percent: z
      .int()
      .min(1)
      .max(100)
      .default(100)
      .meta({ description: 'The share of deliveries that is mirrored, chosen at random.' }),
    hours: z
      .int()
      .min(1)
      .max(SHADOW_LIMITS.hours)
      .default(SHADOW_LIMITS.defaultHours)
      .meta({ description: 'How long deliveries are mirrored.' }),
    headers: headerValues.optional().meta({
      description:
        'The custom headers of copies. Without it, a URL on the same host gets those of the subscription, and another host gets none: the values that are stored never reach it.',
    }),
  })
  .meta({ id: 'WebhookShadowIn', description: 'A URL to mirror deliveries to.' });

const milliseconds = z.int().nullable();

const durations = z
  .object({
    p50Ms: milliseconds.meta({
      description: 'Median duration, interpolated; null before the first comparison.',
    }),
    p95Ms: milliseconds.meta({
      description: '95th percentile, interpolated; null before the first comparison.',
    }),
  })
  .meta({ id: 'WebhookShadowDurations', description: 'How long attempts took.' });

const result = z
  .object({
    outcome: z.enum(ATTEMPT_OUTCOMES).meta({ description: 'As of an attempt.' }),
    status: z.int().nullable().meta({ description: 'The status of the response; null without one.' }),
    durationMs: z.int().meta({ description: 'Duration of the attempt.' }),
    error: z.string().nullable().meta({ description: 'The error, for people.' }),
  })
  .meta({ id: 'WebhookShadowResult', description: 'How one request ended.' });

export type ShadowResult = z.infer<typeof result>;

const difference = z
  .object({
    deliveryId: z.string().meta({ description: 'The delivery.' }),
    eventId: z.string().meta({ description: 'Its event.' }),
    event: z.string().meta({ description: 'The name of the event.' }),
    at: dateTimeOut.meta({ description: 'When the attempt to the current URL began.' }),
    live: result.meta({ description: 'How the attempt to the current URL ended.' }),
    shadow: result.meta({ description: 'How the request to the shadow ended.' }),
  })
  .meta({ id: 'WebhookShadowDifference', description: 'A delivery with different outcomes.' });

export type ShadowDifference = z.infer<typeof difference>;

/**
 * The shadow of a webhook subscription: another URL that its deliveries are mirrored to, and how both compare.
 *
 * Visible to the owners of the company.
 */
export const webhookShadow = z
  .object({
    id: z.string().meta({ description: 'The id of the shadow.' }),
    url: z.string().meta({ description: 'Where deliveries are mirrored to.' }),
    percent: z.int().meta({ description: 'The share of deliveries that is mirrored.' }),
    headerNames: z.array(z.string()).nullable().meta({
      description:
        'The names of the custom headers that were given for the copies. Null: none were given, so a URL on the same host gets those of the subscription, and another host gets none.',
    }),
    state: z.enum(['testing', 'running', 'refused', 'ended']).meta({
      description: `\`testing\`: a test was sent to the URL, and deliveries are mirrored once it is accepted with 2xx. \`refused\`: it was not, or had no result within ${SHADOW_LIMITS.testSeconds} s.`,
    }),
    startedAt: dateTimeOut,
    endsAt: dateTimeOut.meta({ description: 'When mirroring ends, or ended.' }),
    test: result.nullable().meta({ description: 'The result of the test; null before it has one.' }),
    outcomes: z
      .array(
        z
          .object({
            live: z.enum(ATTEMPT_OUTCOMES).meta({ description: 'At the current URL.' }),
            shadow: z.enum(ATTEMPT_OUTCOMES).meta({ description: 'At the shadow.' }),
            count: z.int().meta({ description: 'The number of deliveries.' }),
          })
          .meta({ id: 'WebhookShadowOutcome', description: 'Deliveries with the same two outcomes.' }),
      )
      .meta({ description: 'Mirrored deliveries by both outcomes.' }),
    skipped: z.int().meta({
      description: 'Deliveries that were not mirrored, because too many requests to shadows were in flight.',
    }),
    live: durations.meta({ description: 'Durations at the current URL, of the mirrored deliveries only.' }),
    shadow: durations.meta({ description: 'Durations at the shadow.' }),
    differences: z.array(difference).meta({
      description: `The last ${SHADOW_LIMITS.differences} deliveries with different outcomes, newest first.`,
    }),
  })
  .meta({ id: 'WebhookShadow', description: 'A URL that deliveries are mirrored to, and how both compare.' });

export type WebhookShadow = z.infer<typeof webhookShadow>;

/** Response to the query for a shadow. */
export const webhookShadowState = z
  .object({ shadow: webhookShadow.nullable().meta({ description: 'The shadow; null if none was started.' }) })
  .meta({ id: 'CurrentWebhookShadow', description: 'The shadow of a webhook subscription, if it has one.' });

export type WebhookShadowState = z.infer<typeof webhookShadowState>;

/** A shadow as the examples of the reference show it. */
export const SHADOW_EXAMPLE = {
  id: 'shd_01k3h5d8vqf2mw7x0r4tn6ysbe',
  url: 'https://hooks.sunny.example/partner/v2',
  percent: 100,
  headerNames: null,
  state: 'running',
  startedAt: '2026-09-02T09:15:40.118Z',
  endsAt: '2026-09-03T09:15:40.118Z',
  test: { outcome: 'delivered', status: 204, durationMs: 96, error: null },
  outcomes: [
    { live: 'delivered', shadow: 'delivered', count: 211 },
    { live: 'delivered', shadow: 'rejected', count: 1 },
  ],
  skipped: 0,
  live: { p50Ms: 84, p95Ms: 231 },
  shadow: { p50Ms: 61, p95Ms: 190 },
  differences: [
    {
      deliveryId: 'dlv_01k3jd7s3bf9m2t6xz8ea0q4hv',
      eventId: 'evt_01k3jd7s3af9m2t6xz8ea0q4hv',
      event: 'install.status_changed',
      at: '2026-09-02T12:31:07.498Z',
      live: { outcome: 'delivered', status: 204, durationMs: 187, error: null },
      shadow: { outcome: 'rejected', status: 500, durationMs: 44, error: 'the response had the status 500' },
    },
  ],
} as const satisfies z.infer<typeof webhookShadow>;

/** The same right after its start. */
export const NEW_SHADOW_EXAMPLE = {
  ...SHADOW_EXAMPLE,
  state: 'testing',
  test: null,
  outcomes: [],
  live: { p50Ms: null, p95Ms: null },
  shadow: { p50Ms: null, p95Ms: null },
  differences: [],
} as const satisfies z.infer<typeof webhookShadow>;
