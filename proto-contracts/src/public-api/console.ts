import { z } from 'zod';
import { dateTimeOut } from './date-time.js';
import { pageLimit } from './page-limit.js';
import { CURRENT_SCHEMA_VERSION } from './versions.js';
import { EVENT_CATALOGUE, eventGroup, isEventName } from './webhook-events.js';

/** Body of `POST /partner-api/session`. */
export const sessionIn = z.object({
  email: z.string().min(3).max(254),
  password: z.string().min(1).max(1024),
});

/** The signed-in owner. */
export const sessionAnswer = z.object({
  owner: z.object({ membershipId: z.string(), displayName: z.string() }),
  company: z.object({
    id: z.string(),
    name: z.string(),
    class: z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']),
  }),
  expiresAt: dateTimeOut,
});

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
  );

/** Body of `POST /partner-api/webhooks`. */
export const subscriptionIn = z.object({
  url: endpointUrl,
  events: z.array(eventPattern).min(1).max(50),
  description: z.string().max(200).optional(),
  schemaVersion: z.int().min(1).max(CURRENT_SCHEMA_VERSION).optional(),
});

/** A webhook subscription as its owner sees it. */
export const subscription = z.object({
  id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  schemaVersion: z.int(),
  state: z.enum(['paused', 'active']),
  health: z.enum(['healthy', 'degraded']),
  secretVersion: z.int(),
  pendingSecretVersion: z.int().nullable(),
  verified: z.boolean(),
  createdAt: dateTimeOut,
  updatedAt: dateTimeOut,
});

/** The answer to creating a subscription: the only time that the secret is shown. */
export const subscriptionCreated = z.object({
  subscription,
  secret: z.string(),
});

/** All subscriptions of a company, oldest first. */
export const subscriptionList = z.object({ subscriptions: z.array(subscription) });

export const DELIVERY_STATES = ['pending', 'retry_scheduled', 'delivered', 'dead_lettered', 'held'] as const;

/** One event on its way to one subscription. */
export const delivery = z.object({
  id: z.string(),
  subscriptionId: z.string(),
  eventId: z.string(),
  event: z.string(),
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  nextAttemptAt: dateTimeOut.nullable(),
  createdAt: dateTimeOut,
  finishedAt: dateTimeOut.nullable(),
  resource: z.object({ type: z.string(), id: z.string() }),
});

export const ATTEMPT_OUTCOMES = [
  'delivered',
  'rejected',
  'timed_out',
  'tls_failed',
  'connection_failed',
  'endpoint_refused',
] as const;

/** One attempt of a delivery; `deliveryId` is what the receiver saw in `x-svc-delivery-id`. */
export const attempt = z.object({
  deliveryId: z.string(),
  number: z.int(),
  startedAt: dateTimeOut,
  durationMs: z.int(),
  outcome: z.enum(ATTEMPT_OUTCOMES),
  responseStatus: z.int().nullable(),
  responseBody: z.string().nullable(),
  error: z.string().nullable(),
  remoteAddress: z.string().nullable(),
  secretVersion: z.int(),
});

/** A delivery with its history and the body that every attempt sends. */
export const deliveryWithAttempts = z.object({
  delivery,
  attempts: z.array(attempt),
  body: z.string(),
});

/** A page of deliveries, newest first. */
export const deliveryPage = z.object({
  deliveries: z.array(delivery),
  nextCursor: z.string().nullable(),
});

/** The query of a list of deliveries. */
export const deliveryQuery = z.object({
  cursor: z.string().max(200).optional(),
  limit: pageLimit({ default: 50, max: 100 }),
  status: z.enum(DELIVERY_STATES).optional(),
});
