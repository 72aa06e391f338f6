import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { EXAMPLE, faultScript, faultScriptIn } from './fault-script.js';

const KEY_ID = {
  id: {
    description: 'The `id` of an API key of your company. Any other is 404.',
    example: 'key_01k3hc2m5vf8qs1z7x4rw9tnbe',
  },
};

const SANDBOX_ONLY = '**Sandbox only**: the path does not exist in production.';

const SCRIPT_RESPONSE = {
  200: {
    description: 'The fault script; empty if the key has none.',
    schema: faultScript,
    example: EXAMPLE,
  },
};

export const getFaultsOperation = defineOperation({
  id: 'getFaults',
  method: 'get',
  path: '/partner-api/api-keys/:id/faults',
  sandboxOnly: true,
  params: KEY_ID,
  summary: 'Read the fault script of an API key',
  description: `${SANDBOX_ONLY} Returns the script as it was set, even if all of its steps are used up.`,
  responses: SCRIPT_RESPONSE,
  errors: ['not_found'],
});

export const setFaultsOperation = defineOperation({
  id: 'setFaults',
  method: 'put',
  path: '/partner-api/api-keys/:id/faults',
  sandboxOnly: true,
  params: KEY_ID,
  body: faultScriptIn,
  summary: 'Set the fault script of an API key',
  description: `
${SANDBOX_ONLY} Sets the fault script of an API key, so that you can test how your code handles faults. It takes effect within 5 seconds
and replaces the previous one; set again, the same script starts over.

The steps of \`requests\` apply to the requests with the key that have valid credentials and are within its limit, in the order
of their arrival, over all replicas. A 429 of a script has \`r=0\` in \`RateLimit\`; all other headers of the response are as
usual.

What \`webhooks\` says happens to all webhooks of the company until the script is removed or the key ends. Nothing is
lost: deliveries are retried and dead-lettered as usual.`,
  bodyExamples: {
    requests: {
      summary: 'Three 429 responses, then a lost response',
      value: {
        requests: [
          { fault: 'rate_limited', retryAfterSeconds: 2, times: 3 },
          { fault: 'server_error', status: 503, when: 'after' },
        ],
      } satisfies z.input<typeof faultScriptIn>,
    },
    webhooks: {
      summary: 'Webhooks twice and out of order',
      value: { webhooks: { duplicate: true, reorder: true } } satisfies z.input<typeof faultScriptIn>,
    },
  },
  responses: SCRIPT_RESPONSE,
  errors: ['not_found'],
});

export const clearFaultsOperation = defineOperation({
  id: 'clearFaults',
  method: 'delete',
  path: '/partner-api/api-keys/:id/faults',
  sandboxOnly: true,
  params: KEY_ID,
  summary: 'Remove the fault script of an API key',
  description: `
${SANDBOX_ONLY} Faults end within 5 seconds. A repeat is harmless.`,
  responses: { 204: { description: 'The key has no fault script.' } },
  errors: ['not_found'],
});
