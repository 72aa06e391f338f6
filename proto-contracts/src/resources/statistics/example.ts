import type { z } from 'zod';
import type { attemptCounts } from './statistics.js';

export const COUNTS_EXAMPLE = {
  attempts: 412,
  delivered: 409,
  failed: 3,
  deadLettered: 0,
  p50Ms: 84,
  p95Ms: 231,
} as const satisfies z.infer<typeof attemptCounts>;

export const BUCKET_EXAMPLE = { startsAt: '2026-09-03T12:30:00.000Z', ...COUNTS_EXAMPLE };
