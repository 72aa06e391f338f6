import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { TEST_RECEIVER_LIMITS, TEST_REQUEST_EXAMPLE, testReceiver, testRequest } from './test-request.js';

const SANDBOX_ONLY = '**Sandbox only**: the path does not exist in production.';

export const getTestReceiverOperation = defineOperation({
  id: 'getTestReceiver',
  method: 'get',
  path: '/partner-api/test-receiver',
  sandboxOnly: true,
  summary: 'Read the test receiver',
  description: `
${SANDBOX_ONLY} Returns the address of a receiver that needs no server of yours, and what arrived there. Register the address as the \`url\`
of a webhook: it accepts every request with a body of at most ${TEST_RECEIVER_LIMITS.bodyBytes / 1_024} KiB, and shows for ${TEST_RECEIVER_LIMITS.hours} hours
what arrived and whether the signature holds.`,
  responses: {
    200: {
      description: 'The test receiver of your company.',
      schema: testReceiver,
      example: {
        url: 'https://partner.example.com/console/test-receiver/cmp_01k3hc2m5vf8qs1z7x4rw9tnbe/BaJk3nQ5sYw8Zr2TgHc7VdXe',
        requests: [TEST_REQUEST_EXAMPLE],
      } satisfies z.input<typeof testReceiver>,
    },
  },
  // In production.
  errors: ['not_found'],
});

export const getTestRequestOperation = defineOperation({
  id: 'getTestRequest',
  method: 'get',
  path: '/partner-api/test-receiver/:id',
  sandboxOnly: true,
  params: {
    id: { description: 'The `id` of a request. Any other is 404.', example: TEST_REQUEST_EXAMPLE.id },
  },
  summary: 'Read a request that the test receiver received',
  description: SANDBOX_ONLY,
  responses: {
    200: {
      description: 'The request.',
      schema: testRequest,
      example: {
        ...TEST_REQUEST_EXAMPLE,
        headers: { 'content-type': 'application/json', 'x-svc-event': 'install.test' },
        body: '{"event":"install.test"}',
      } satisfies z.input<typeof testRequest>,
    },
  },
  errors: ['not_found'],
});
