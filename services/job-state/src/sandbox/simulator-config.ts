import { randomUUID } from 'node:crypto';
import { commonConfig, httpConfig, integer } from '@partner/kernel/process/config';
import { z } from 'zod';

export const simulatorConfig = z.object({
  ...commonConfig,
  PARTNER_ENVIRONMENT: z.literal('sandbox', {
    error: 'must be sandbox: the simulator writes invented data',
  }),
  SIMULATOR_MOVES_PER_MINUTE: integer({ min: 1, max: 6_000 }).default(30).meta({
    description: 'Number of platform messages and installer writes, added up.',
    unit: 'per minute',
  }),
  SIMULATOR_SEED: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .transform((seed) => seed ?? randomUUID())
    .describe("Seed of the simulator's choices. Without it, each start generates and logs a new seed."),
  RPC_TIMEOUT_MS: httpConfig.RPC_TIMEOUT_MS,
});
