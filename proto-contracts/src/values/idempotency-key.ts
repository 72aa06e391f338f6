import { z } from 'zod';
import { LIMITS } from '../api/limits.js';

/** The `Idempotency-Key` header (spec: Installer v1, rule 3). */
export const idempotencyKeyHeader = z
  .string()
  .max(LIMITS.idempotencyKeyLength)
  .regex(/^[A-Za-z0-9._:-]+$/, {
    error: 'must be 1 to 128 characters out of letters, digits, ".", "_", ":" and "-"',
  })
  .meta({
    description:
      'Identifies this request among all of your company, so that a repeat has no second effect. Create a new one for each new' +
      ' request (a random UUID does) and keep it until you have a response.',
  });
