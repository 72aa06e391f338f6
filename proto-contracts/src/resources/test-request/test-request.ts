import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';

/** Limits of the test receiver of a company. */
export const TEST_RECEIVER_LIMITS = {
  /** Maximum bytes of a body. */
  bodyBytes: 65_536,
  /** Kept requests, the newest ones. */
  requests: 50,
  /** How long a request is kept. */
  hours: 24,
} as const;

const fields = {
  id: z.string().meta({ description: 'Identifies the request.' }),
  receivedAt: dateTimeOut.meta({ description: 'When it arrived.' }),
  event: z.string().nullable().meta({ description: 'The header `x-svc-event`; null without one.' }),
  webhookId: z.string().nullable().meta({
    description: 'The webhook that `x-svc-subscription-id` names; null if it is none of your company.',
  }),
  signature: z.enum(['valid', 'invalid', 'missing']).meta({
    description:
      'Whether `x-svc-signature` fits the body, by the secret of the webhook and version that the headers name.',
  }),
  bodyBytes: z.int().meta({ description: 'The size of the body.' }),
} as const;

/** A request that the test receiver received. Visible to everyone of the company, in the sandbox only. */
export const testRequestSummary = z.object(fields).meta({
  id: 'TestRequestSummary',
  description: 'A request that the test receiver received, without its body.',
});

export const testRequest = z
  .object({
    ...fields,
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Its headers by lower-case name; empty once its data are erased.' }),
    body: z.string().meta({ description: 'Its body, read as UTF-8.' }),
  })
  .meta({ id: 'TestRequest', description: 'A request that the test receiver received.' });

export type TestRequest = z.infer<typeof testRequest>;

export const testReceiver = z
  .object({
    url: z.string().nullable().meta({
      description:
        'The address of the test receiver, for the `url` of a webhook. Anyone who knows it can send to it, so viewers get its host and the beginning of its path, then `…`. Null where the service has no address that webhooks reach.',
    }),
    requests: z.array(testRequestSummary).meta({
      description: `The last ${TEST_RECEIVER_LIMITS.requests} requests of the last day, newest first.`,
    }),
  })
  .meta({ id: 'TestReceiver', description: 'The test receiver of a company.' });

export const TEST_REQUEST_EXAMPLE = {
  id: 'trq_01k3hc2m5vf8qs1z7x4rw9tnbe',
  receivedAt: '2026-11-26T09:12:44.108Z',
  event: 'install.test',
  webhookId: 'whk_01k3hc2m5vf8qs1z7x4rw9tnbe',
  signature: 'valid',
  bodyBytes: 214,
} as const satisfies z.input<typeof testRequestSummary>;
