import { z } from 'zod';
import { dateTimeOut } from './date-time.js';
import { pageLimit } from './page-limit.js';
import { CURRENT_SCHEMA_VERSION } from './versions.js';
import { EVENT_CATALOGUE, eventGroup, isEventName } from './webhook-events.js';

/** Body of `POST /partner-api/session`. */
export const sessionIn = z
  .object({
    email: z.string().min(3).max(254),
    password: z.string().min(1).max(1024),
  })
  .meta({ id: 'SessionIn', description: "An owner's credentials." });

/** The signed-in owner. */
export const sessionAnswer = z
  .object({
    owner: z.object({ membershipId: z.string(), displayName: z.string() }),
    company: z.object({
      id: z.string(),
      name: z.string(),
      class: z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']),
    }),
    expiresAt: dateTimeOut.meta({
      description:
        'When the session ends, however busy it is; without a request for 30 minutes it ends earlier.',
    }),
  })
  .meta({ id: 'Session', description: 'The signed-in owner.' });

/**
 * The address of a subscription, as far as its text tells (spec: Subscription URL rules 1). Which address its host has is
 * looked up elsewhere, at creation and on every delivery.
 */
const endpointUrl = z
  .string()
  .min(1)
  .max(2048)
  .superRefine((text, context) => {
    const fault = endpointUrlFault(text);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({
    description:
      'Where deliveries are sent: `https://` on port 443, without a user name or password, and a host that has public' +
      ' addresses only.',
    override: { format: 'uri' },
  });

function endpointUrlFault(text: string): string | undefined {
  if (/[\p{Cc}\s]/u.test(text)) return 'must not hold spaces or control characters';
  if (!URL.canParse(text)) return 'must be a URL that begins with https://';
  const url = new URL(text);
  if (url.protocol !== 'https:') return 'must be a URL that begins with https://';
  if (url.port !== '') return 'must use port 443';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password';
  return undefined;
}

const EVENT_GROUPS: ReadonlySet<string> = new Set(
  Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .map((event) => `${eventGroup(event)}.*`),
);

/** An event of the catalogue, or a whole group. Which of them a company may have depends on its class. */
const eventPattern = z
  .string()
  .refine(
    (pattern) => isEventName(pattern) || EVENT_GROUPS.has(pattern),
    'must be an event of the catalogue, or a group such as install.*',
  )
  .meta({
    description: 'An event of the catalogue such as `install.job_assigned`, or a group such as `install.*`.',
  });

/** Body of `POST /partner-api/webhooks`. */
export const subscriptionIn = z
  .object({
    url: endpointUrl,
    events: z
      .array(eventPattern)
      .min(1)
      .max(50)
      .meta({ description: "Events that your company's class may have, or groups of them." }),
    description: z.string().max(200).optional().meta({ description: 'For your own use.' }),
    schemaVersion: z
      .int()
      .min(1)
      .max(CURRENT_SCHEMA_VERSION)
      .optional()
      .meta({ description: 'The schema version of the payloads; by default the current one.' }),
  })
  .meta({ id: 'WebhookSubscriptionIn', description: 'A webhook subscription as you create it.' });

/** A webhook subscription as its owner sees it. */
export const subscription = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.string()),
    schemaVersion: z.int(),
    state: z.enum(['paused', 'active']).meta({ description: '`paused`: new events queue no deliveries.' }),
    health: z.enum(['healthy', 'degraded']).meta({
      description: '`degraded` from a dead-lettered delivery until the next delivered one.',
    }),
    secretVersion: z
      .int()
      .meta({ description: 'The version of the secret that new deliveries are signed with.' }),
    pendingSecretVersion: z.int().nullable().meta({
      description: 'The version of the secret that waits to be activated; null when there is none.',
    }),
    verified: z
      .boolean()
      .meta({ description: 'Whether a test delivery to the present URL was answered with 2xx.' }),
    createdAt: dateTimeOut,
    updatedAt: dateTimeOut,
  })
  .meta({ id: 'WebhookSubscription', description: 'A webhook subscription as its owner sees it.' });

/** The answer to creating a subscription: the only time that the secret is shown. */
export const subscriptionCreated = z
  .object({
    subscription,
    secret: z.string().meta({
      description: 'The signing secret, `whsec_` and base64. Store it: it is not shown again.',
    }),
  })
  .meta({ id: 'WebhookSubscriptionCreated', description: 'A new subscription and its secret.' });

/** All subscriptions of a company, oldest first. */
export const subscriptionList = z
  .object({ subscriptions: z.array(subscription) })
  .meta({ id: 'WebhookSubscriptions', description: 'All subscriptions of the company, oldest first.' });

export const DELIVERY_STATES = ['pending', 'retry_scheduled', 'delivered', 'dead_lettered', 'held'] as const;

/** One event on its way to one subscription. */
export const delivery = z
  .object({
    id: z.string(),
    subscriptionId: z.string(),
    eventId: z.string().meta({ description: 'The `id` of the envelope, the same in every attempt.' }),
    event: z.string().meta({ description: 'The name of the event.' }),
    state: z.enum(DELIVERY_STATES).meta({
      description: '`held`: it goes on when the subscription is active again.',
    }),
    attempts: z.int().meta({ description: 'How many were made.' }),
    nextAttemptAt: dateTimeOut.nullable(),
    createdAt: dateTimeOut,
    finishedAt: dateTimeOut.nullable().meta({ description: 'When it was delivered or dead-lettered.' }),
    resource: z
      .object({ type: z.string(), id: z.string() })
      .meta({ description: 'What the event is about.' }),
  })
  .meta({ id: 'WebhookDelivery', description: 'One event on its way to one subscription.' });

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'rejected',
  'timed_out',
  'tls_failed',
  'connection_failed',
  'endpoint_refused',
] as const;

/** One attempt of a delivery; `deliveryId` is what the receiver saw in `x-svc-delivery-id`. */
export const attempt = z
  .object({
    deliveryId: z.string().meta({ description: 'What the receiver saw in `x-svc-delivery-id`.' }),
    number: z.int().meta({ description: 'Counts from 1.' }),
    startedAt: dateTimeOut,
    durationMs: z.int(),
    outcome: z.enum(ATTEMPT_OUTCOMES).meta({
      description:
        '`rejected`: the receiver answered with another status than 2xx. `endpoint_refused`: the URL leads to an address that is not public.',
    }),
    responseStatus: z.int().nullable(),
    responseBody: z
      .string()
      .nullable()
      .meta({ description: 'The first 4 KiB of what the receiver answered.' }),
    error: z.string().nullable().meta({ description: 'What went wrong, for a person.' }),
    remoteAddress: z.string().nullable().meta({ description: 'The address that was dialled.' }),
    secretVersion: z.int().meta({ description: 'The version of the secret that signed it.' }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One attempt of a delivery.' });

/** A delivery with its history and the body that every attempt sends. */
export const deliveryWithAttempts = z
  .object({
    delivery,
    attempts: z.array(attempt).meta({ description: 'Oldest first.' }),
    body: z.string().meta({ description: 'The exact body that every attempt sends.' }),
  })
  .meta({ id: 'WebhookDeliveryWithAttempts', description: 'A delivery with its history and its body.' });

/** A page of deliveries, newest first. */
export const deliveryPage = z
  .object({
    deliveries: z.array(delivery),
    nextCursor: z.string().nullable().meta({
      description: 'Send it as `cursor` for older ones; null when there are none.',
    }),
  })
  .meta({ id: 'WebhookDeliveries', description: 'A page of deliveries, newest first.' });

/** The query of a list of deliveries. */
export const deliveryQuery = z.object({
  cursor: z.string().max(200).optional().meta({ description: 'The `nextCursor` of an earlier answer.' }),
  limit: pageLimit({ default: 50, max: 100 }),
  status: z.enum(DELIVERY_STATES).optional().meta({ description: 'Only deliveries in this state.' }),
});
