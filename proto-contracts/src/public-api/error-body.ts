import { z } from 'zod';

/** The body of every error answer. `error` is the contract; the other fields are additions that clients may ignore. */
export const errorBody = z.object({
  error: z.string().meta({ description: 'What went wrong; names the field for a 400.' }),
  code: z.string().meta({ description: 'Stable and machine-readable, e.g. `stale_version`.' }),
  requestId: z.string().meta({ description: 'The same as the `x-request-id` header.' }),
  details: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .meta({ description: 'For a 400: every field at fault.' }),
  currentVersion: z.int().optional().meta({ description: 'For `stale_version`.' }),
  currentStatus: z.string().optional().meta({ description: 'For `transition_not_allowed`.' }),
  allowed: z.array(z.string()).optional().meta({ description: 'For `transition_not_allowed`.' }),
});

export type ErrorBody = z.infer<typeof errorBody>;
