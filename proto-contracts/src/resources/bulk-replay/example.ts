import type { z } from 'zod';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/example.js';
import type { bulkReplay } from './bulk-replay.js';

/** A bulk replay as the examples of the reference show it. */
export const BULK_REPLAY_EXAMPLE = {
  id: 'rpl_01k3jf0c8vey3r6m5w2tq9xzbn',
  subscriptionId: SUBSCRIPTION_EXAMPLE.id,
  kind: 'replay',
  states: ['dead_lettered'],
  event: 'install.*',
  from: '2026-09-03T06:00:00.000Z',
  to: '2026-09-03T12:00:00.000Z',
  perMinute: 600,
  state: 'running',
  total: 1_284,
  atLeast: false,
  queued: 310,
  createdAt: '2026-09-03T13:05:00.000Z',
  finishedAt: null,
} as const satisfies z.infer<typeof bulkReplay>;
