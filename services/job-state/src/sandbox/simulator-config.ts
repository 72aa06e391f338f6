import { randomUUID } from 'node:crypto';
import { commonConfig, httpConfig, integer } from '@partner/kernel/config';
import { z } from 'zod';

/** The settings of the sandbox's simulator. */
export const simulatorConfig = z.object({
  ...commonConfig,
  PARTNER_ENVIRONMENT: z.literal('sandbox', {
    error: 'must be sandbox: nothing is invented anywhere else',
  }),
  SIMULATOR_MOVES_PER_MINUTE: integer({ min: 1, max: 6_000 }).default(30).meta({
    description: 'Messages of the platform and writes of installers together.',
    unit: 'per minute',
  }),
  SIMULATOR_SEED: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .transform((seed) => seed ?? randomUUID())
    .describe("Seed of the simulator's choices. Without one, each start takes and logs a new one."),
  RPC_TIMEOUT_MS: httpConfig.RPC_TIMEOUT_MS,
});
