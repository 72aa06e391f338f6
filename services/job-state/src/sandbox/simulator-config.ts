import { randomUUID } from 'node:crypto';
import { commonConfig, integer } from '@partner/kernel/config';
import { z } from 'zod';

/** The settings of the sandbox's simulator. */
export const simulatorConfig = z.object({
  ...commonConfig,
  PARTNER_ENVIRONMENT: z.literal('sandbox', {
    error: 'must be sandbox: nothing is invented anywhere else',
  }),
  /** How much goes on: messages of the platform and writes of installers together. */
  SIMULATOR_MOVES_PER_MINUTE: integer({ min: 1, max: 6_000 }).default(30),
  /** What the choices follow from; another one each time when not given. */
  SIMULATOR_SEED: z
    .string()
    .min(1)
    .max(100)
    .default(() => randomUUID()),
  /** How long one call to job-state may take. */
  RPC_TIMEOUT_MS: integer({ min: 1_000, max: 60_000 }).default(5_000),
});
