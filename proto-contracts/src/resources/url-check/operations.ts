import type { z } from 'zod';
import { LIMITS } from '../../api/limits.js';
import { defineOperation } from '../../api/operation.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';
import { urlCheck, urlCheckIn } from './url-check.js';

export const checkUrlOperation = defineOperation({
  id: 'checkUrl',
  repeatable: true,
  method: 'post',
  path: '/partner-api/url-checks',
  body: urlCheckIn,
  maxBodyBytes: 16_384,
  summary: 'Check a URL',
  description: `
Checks whether a subscription can have a URL, by the same rules as the creation: the host is resolved once. Nothing is sent to
it and nothing is stored. A session can check ${LIMITS.urlChecksPerMinute} URLs in any 60 seconds.`,
  bodyExamples: {
    usual: {
      summary: 'A URL',
      value: { url: SUBSCRIPTION_EXAMPLE.url } satisfies z.input<typeof urlCheckIn>,
    },
  },
  responses: {
    200: {
      description: 'The verdict.',
      schema: urlCheck,
      example: { ok: false, reason: 'must use port 443' } satisfies z.input<typeof urlCheck>,
    },
  },
});
