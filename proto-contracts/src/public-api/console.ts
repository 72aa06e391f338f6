import { z } from 'zod';
import { dateTimeOut } from './date-time.js';

/** Body of `POST /partner-api/session`. */
export const sessionIn = z.object({
  email: z.string().min(3).max(254),
  password: z.string().min(1).max(1024),
});

/** The signed-in owner. */
export const sessionAnswer = z.object({
  owner: z.object({ membershipId: z.string(), displayName: z.string() }),
  company: z.object({ id: z.string(), name: z.string(), class: z.enum(['SALES', 'INSTALLER', 'ACCOUNTING']) }),
  expiresAt: dateTimeOut,
});

/** Body of `POST /partner-api/webhooks`. */
export const subscriptionIn = z.object({
  url: z.string().min(1).max(2048),
  events: z.array(z.string().min(1).max(100)).min(1).max(50),
  description: z.string().max(200).optional(),
  schemaVersion: z.int().min(1).optional(),
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
  limit: z.coerce.number({ error: 'must be an integer from 1 to 100' }).int().min(1).max(100).default(50),
  status: z.enum(DELIVERY_STATES).optional(),
});
