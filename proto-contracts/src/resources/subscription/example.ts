import type { z } from 'zod';
import { CURRENT_SCHEMA_VERSION } from '../../api/versions.js';
import type { subscription } from './subscription.js';

/** A subscription as the examples of the reference show it. */
export const SUBSCRIPTION_EXAMPLE = {
  id: 'whk_01k3h5d8vqf2mw7x0r4tn6ysbe',
  url: 'https://hooks.sunny.example/partner',
  description: 'Dispatch board',
  events: ['install.*'],
  schemaVersion: CURRENT_SCHEMA_VERSION,
  state: 'active',
  health: 'healthy',
  secretVersion: 1,
  pendingSecretVersion: null,
  verified: true,
  createdAt: '2026-08-26T14:03:00.000Z',
  updatedAt: '2026-08-26T14:09:21.730Z',
} as const satisfies z.infer<typeof subscription>;

/** The path parameter of a subscription. */
export const SUBSCRIPTION_ID = {
  id: {
    description: 'The `id` of a subscription of your company. Any other is 404.',
    example: SUBSCRIPTION_EXAMPLE.id,
  },
};
