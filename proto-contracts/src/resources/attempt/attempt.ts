import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';

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
