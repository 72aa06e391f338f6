import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { EXAMPLE } from './example.js';
import { faultScript, faultScriptIn } from './fault-script.js';

const KEY_ID = {
  id: {
    description: 'The `id` of an API key of your company. Any other is 404.',
    example: 'key_01k3hc2m5vf8qs1z7x4rw9tnbe',
  },
};

const SANDBOX_ONLY = '**Sandbox only**: in production there is no such path.';

const SCRIPT_RESPONSE = {
  200: {
    description: 'The fault script; without steps and faults of webhooks when the key has none.',
    schema: faultScript,
    example: EXAMPLE,
  },
};

/** `GET /partner-api/api-keys/{id}/faults` */
export const getFaultsOperation = defineOperation({
  id: 'getFaults',
  method: 'get',
  path: '/partner-api/api-keys/:id/faults',
  sandboxOnly: true,
  params: KEY_ID,
  summary: 'Read the fault script of an API key',
  description: `${SANDBOX_ONLY} Shows the script as it was set, also when all of its steps have been used up.`,
  responses: SCRIPT_RESPONSE,
  errors: ['not_found'],
});

/** `PUT /partner-api/api-keys/{id}/faults` */
export const setFaultsOperation = defineOperation({
  id: 'setFaults',
  method: 'put',
  path: '/partner-api/api-keys/:id/faults',
  sandboxOnly: true,
  params: KEY_ID,
  body: faultScriptIn,
  summary: 'Have things go wrong on purpose',
  description: `
${SANDBOX_ONLY} Gives an API key a fault script, so that you can test how your own code handles faults. It takes effect within 5 seconds
and replaces the previous one; set again, the same script starts over.

The steps of \`requests\` happen to the requests with the key that have valid credentials and are within its limit, in the order
of their arrival, over all replicas. A 429 of a script has \`r=0\` in \`RateLimit\`; all other headers of the response are as
usual.

What \`webhooks\` says happens to all webhooks of the company until the script is removed or the key ends. Nothing is
lost: deliveries are retried and dead-lettered as usual.`,
  bodyExamples: {
    requests: {
      summary: 'Three responses of 429, then a lost response',
      value: {
        requests: [
          { fault: 'rate_limited', retryAfterSeconds: 2, times: 3 },
          { fault: 'server_error', status: 503, when: 'after' },
        ],
      } satisfies z.input<typeof faultScriptIn>,
    },
    webhooks: {
      summary: 'Webhooks twice and in another order',
      value: { webhooks: { duplicate: true, reorder: true } } satisfies z.input<typeof faultScriptIn>,
    },
  },
  responses: SCRIPT_RESPONSE,
  errors: ['not_found'],
});

/** `DELETE /partner-api/api-keys/{id}/faults` */
export const clearFaultsOperation = defineOperation({
  id: 'clearFaults',
  method: 'delete',
  path: '/partner-api/api-keys/:id/faults',
  sandboxOnly: true,
  params: KEY_ID,
  summary: 'Take its fault script from an API key',
  description: `
${SANDBOX_ONLY} Everything is as usual within 5 seconds. Repeating it is harmless.`,
  responses: { 204: { description: 'The key has no fault script.' } },
  errors: ['not_found'],
});
