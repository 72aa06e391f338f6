import { z } from 'zod';

export const FAULT_LIMITS = {
  steps: 20,
  times: 100,
  /** Short enough for the rest of a delayed request to arrive in time. */
  delayMs: 20_000,
  retryAfterSeconds: 3_600,
} as const;

const times = z
  .int()
  .min(1)
  .max(FAULT_LIMITS.times)
  .default(1)
  .meta({ description: 'Number of consecutive requests with this fault.' });

/** Uses one component for requests and responses: fields with a default are optional in it. */
function requiring(...required: string[]) {
  return ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
    delete jsonSchema['additionalProperties'];
    delete jsonSchema['required'];
    if (required.length > 0) jsonSchema['required'] = required;
  };
}

const requestFault = z
  .discriminatedUnion('fault', [
    z
      .object({
        fault: z.literal('rate_limited').meta({ description: 'The response is 429, without effect.' }),
        retryAfterSeconds: z
          .int()
          .min(1)
          .max(FAULT_LIMITS.retryAfterSeconds)
          .default(1)
          .meta({ description: 'The header `retry-after` of the response.' }),
        times,
      })
      .meta({
        override: requiring('fault'),
        id: 'RateLimitedFault',
        description: 'Requests get a 429.',
      }),
    z
      .object({
        fault: z.literal('server_error').meta({ description: 'The response is 500 or 503.' }),
        status: z.literal([500, 503]).default(503).meta({ description: 'The status of the response.' }),
        when: z.enum(['before', 'after']).default('before').meta({
          description:
            '`before`: the request has no effect. `after`: it takes effect and its response is lost; a repeat with the same `Idempotency-Key` returns it.',
        }),
        times,
      })
      .meta({
        override: requiring('fault'),
        id: 'ServerErrorFault',
        description: 'Requests get a 500 or 503.',
      }),
    z
      .object({
        fault: z.literal('delay').meta({ description: 'The usual effect and response, but late.' }),
        delayMs: z.int().min(1).max(FAULT_LIMITS.delayMs).meta({ description: 'Milliseconds.' }),
        times,
      })
      .meta({
        override: requiring('fault', 'delayMs'),
        id: 'DelayFault',
        description: 'Requests get a late response.',
      }),
  ])
  .meta({ id: 'RequestFault', description: 'A fault of some requests.' });

export type RequestFault = z.infer<typeof requestFault>;

const requests = z.array(requestFault).max(FAULT_LIMITS.steps).meta({
  description:
    'Faults for the requests with the key, in this order, each as often as configured. After the last one requests work as usual.',
});

const webhooks = z
  .object({
    duplicate: z.boolean().default(false).meta({
      description: 'Every event is delivered twice: two deliveries with the same event id, a second apart.',
    }),
    reorder: z.boolean().default(false).meta({
      description:
        'Events are delayed for up to 8 seconds, and those of the same 4 seconds arrive in the opposite order.',
    }),
  })
  .meta({
    override: requiring(),
    id: 'WebhookFaults',
    description: 'Faults of the webhooks of the company.',
  });

/** Visible to the owners of the company, in the sandbox only. */
export const faultScript = z
  .object({ requests, webhooks })
  .meta({ id: 'FaultScript', description: 'Fault script of an API key of the sandbox.' });

export type FaultScript = z.infer<typeof faultScript>;

export const NO_FAULTS = {
  requests: [],
  webhooks: { duplicate: false, reorder: false },
} as const satisfies z.input<typeof faultScript>;

export const faultScriptIn = z
  .object({
    requests: requests.default([]),
    webhooks: webhooks.default(NO_FAULTS.webhooks).meta({
      description: 'Faults of the webhooks of the company while the script is set.',
    }),
  })
  .meta({
    id: 'FaultScriptIn',
    description: 'New fault script of an API key of the sandbox.',
  });

/**
 * The fault script of a key as gateways receive it. `id` identifies one setting of the script, so that a new setting
 * starts from its first step.
 */
export const requestFaults = z.object({ id: z.string(), requests: z.array(requestFault) });

export type RequestFaults = z.infer<typeof requestFaults>;

/** Returns the fault for the key's request with this number, from 1; undefined after the last step. */
export function faultOfRequest(steps: readonly RequestFault[], number: number): RequestFault | undefined {
  let through = 0;
  return steps.find((step) => {
    through += step.times;
    return number <= through;
  });
}

export const EXAMPLE = {
  requests: [
    { fault: 'rate_limited', retryAfterSeconds: 2, times: 3 },
    { fault: 'server_error', status: 503, when: 'after', times: 1 },
    { fault: 'delay', delayMs: 3_000, times: 1 },
  ],
  webhooks: { duplicate: true, reorder: false },
} as const satisfies z.input<typeof faultScript>;
