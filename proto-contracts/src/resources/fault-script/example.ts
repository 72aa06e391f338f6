import type { z } from 'zod';
import type { faultScript } from './fault-script.js';

export const EXAMPLE = {
  requests: [
    { fault: 'rate_limited', retryAfterSeconds: 2, times: 3 },
    { fault: 'server_error', status: 503, when: 'after', times: 1 },
    { fault: 'delay', delayMs: 3_000, times: 1 },
  ],
  webhooks: { duplicate: true, reorder: false },
} as const satisfies z.input<typeof faultScript>;
