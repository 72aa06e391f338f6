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

/** Bounds of the recorded headers of one response; `bytes` counts names and values. */
export const RESPONSE_HEADER_LIMITS = { headers: 50, bytes: 4_096 } as const;

/** Result of each step of one attempt; null: not reached. */
const exchangeTrace = z
  .object({
    dnsMs: z.int().nullable().meta({ description: 'Name resolution.' }),
    addresses: z.array(z.string()).meta({ description: 'The addresses of the name, at most 16.' }),
    connectMs: z.int().nullable().meta({ description: 'Time to connect; null for a reused connection.' }),
    tlsMs: z.int().nullable().meta({ description: 'The TLS handshake.' }),
    tlsProtocol: z.string().nullable().meta({ description: 'For example `TLSv1.3`.' }),
    certificate: z
      .object({
        subject: z.string().nullable().meta({ description: 'Its subject.' }),
        issuer: z.string().nullable().meta({ description: 'The issuer.' }),
        validTo: dateTimeOut.nullable(),
      })
      .meta({ id: 'EndpointCertificate', description: 'The certificate of your server.' })
      .nullable()
      .meta({ description: 'The certificate that your server presented; null without one.' }),
    reusedConnection: z.boolean().meta({ description: 'Whether an open connection was reused.' }),
    firstByteMs: z
      .int()
      .nullable()
      .meta({ description: 'From the last byte of the request to the first byte of the response.' }),
  })
  .meta({ id: 'WebhookExchange', description: 'The steps of one attempt.' });

export type ExchangeSteps = z.infer<typeof exchangeTrace>;

/** Visible to the owners of the company, with its delivery. */
export const attempt = z
  .object({
    deliveryId: z.string().meta({ description: 'The `x-svc-delivery-id` that the receiver received.' }),
    number: z.int().meta({ description: 'Counts from 1.' }),
    startedAt: dateTimeOut,
    durationMs: z.int().meta({ description: 'Duration of the attempt.' }),
    outcome: z.enum(ATTEMPT_OUTCOMES).meta({
      description:
        '`rejected`: the response had a status other than 2xx. `endpoint_refused`: the URL resolves to an address that is not public.',
    }),
    responseStatus: z
      .int()
      .nullable()
      .meta({ description: 'The HTTP status of the response; null without a response.' }),
    error: z.string().nullable().meta({ description: 'The error, for people.' }),
    responseHeaders: z
      .array(
        z
          .object({
            name: z.string().meta({ description: 'In lower case.' }),
            value: z.string().meta({ description: 'As received.' }),
          })
          .meta({ id: 'ResponseHeader', description: 'A header of a response.' }),
      )
      .nullable()
      .meta({
        description:
          `The headers of the response in their order, at most ${RESPONSE_HEADER_LIMITS.headers} and ${RESPONSE_HEADER_LIMITS.bytes / 1_024} KiB: one that` +
          ' no longer fits is omitted. Cookies and credentials are removed. Null without a response, and if they were not recorded.',
      }),
    responseBody: z.string().nullable().meta({ description: 'The first 4 KiB of the response body.' }),
    remoteAddress: z.string().nullable().meta({ description: 'The address of the connection.' }),
    secretVersion: z.int().meta({ description: 'The version of the secret that signed it.' }),
    exchange: exchangeTrace.nullable().meta({
      description: 'Its steps, each with its duration; null if they are unknown.',
    }),
  })
  .meta({ id: 'WebhookAttempt', description: 'One attempt of a delivery.' });

export type Attempt = z.infer<typeof attempt>;

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

/** The attempt that delivered {@link DELIVERY_EXAMPLE}. */
export const ATTEMPT_EXAMPLE = {
  deliveryId: 'dlv_01k3jd7s3bf9m2t6xz8ea0q4hv',
  number: 1,
  startedAt: '2026-09-03T12:31:07.498Z',
  durationMs: 187,
  outcome: 'delivered',
  responseStatus: 204,
  error: null,
  responseHeaders: [
    { name: 'date', value: 'Thu, 03 Sep 2026 12:31:07 GMT' },
    { name: 'x-request-id', value: '7f3c9b' },
  ],
  responseBody: null,
  remoteAddress: '203.0.113.20',
  secretVersion: 1,
  exchange: {
    dnsMs: 4,
    addresses: ['203.0.113.20'],
    connectMs: 31,
    tlsMs: 64,
    tlsProtocol: 'TLSv1.3',
    certificate: {
      subject: 'hooks.sunny.example',
      issuer: 'Example CA 1',
      validTo: '2026-11-20T08:00:00.000Z',
    },
    reusedConnection: false,
    firstByteMs: 83,
  },
} as const satisfies z.infer<typeof attempt>;

export const ATTEMPT_SUMMARY_EXAMPLE = {
  deliveryId: ATTEMPT_EXAMPLE.deliveryId,
  number: ATTEMPT_EXAMPLE.number,
  startedAt: ATTEMPT_EXAMPLE.startedAt,
  durationMs: ATTEMPT_EXAMPLE.durationMs,
  outcome: ATTEMPT_EXAMPLE.outcome,
  responseStatus: ATTEMPT_EXAMPLE.responseStatus,
  error: ATTEMPT_EXAMPLE.error,
} as const satisfies z.infer<typeof attemptSummary>;
