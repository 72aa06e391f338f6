import type { z } from 'zod';
import { CURRENT_API_VERSION } from '../../api/versions.js';
import { INSTALLER_JOB_EXAMPLE } from '../job/example.js';
import type { jobFeedResponse } from './feed-entry.js';

/** A page of the change feed with one change. */
export const JOB_FEED_EXAMPLE = {
  apiVersion: CURRENT_API_VERSION,
  resources: [{ sequence: 4211, changedAt: '2026-08-29T16:40:12.000Z', resource: INSTALLER_JOB_EXAMPLE }],
  nextCursor: 'AQAAAAAAABBzS0m3vQ1xY8hV2bqk7wT9dRfLp4oZ',
  hasMore: false,
} as const satisfies z.infer<typeof jobFeedResponse>;
