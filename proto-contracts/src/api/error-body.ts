import { z } from 'zod';
import { ERROR_REASON_CATALOGUE, isErrorReason } from './error-reasons.js';

/** The `code` of an error. */
const errorCode = z.enum(Object.keys(ERROR_REASON_CATALOGUE).filter(isErrorReason)).meta({
  id: 'ErrorCode',
  description:
    'What went wrong, for a program. A code keeps its meaning. New codes come without a new version: accept a code that is not in this list, and go by the status.',
});

/**
 * The body of every error response. `error` is the contract; the other fields are additions that clients may ignore.
 */
export const errorBody = z
  .object({
    error: z.string().meta({ description: 'What went wrong, for a person; names the field for a 400.' }),
    code: errorCode,
    requestId: z.string().meta({
      description: 'The same as the header `x-request-id`. Log it: it finds the request in our logs.',
    }),
    details: z
      .array(
        z
          .object({
            path: z.string().meta({
              description: 'Where the fault is: a field such as `membershipIds.3`, a parameter or a header.',
            }),
            message: z.string().meta({ description: 'What would be right.' }),
          })
          .meta({ id: 'ErrorDetail', description: 'One fault of a request.' }),
      )
      .optional()
      .meta({ description: 'With a 400: every fault that was found.' }),
    currentVersion: z
      .int()
      .optional()
      .meta({ description: 'With `stale_version`: the version that the job has now.' }),
    currentStatus: z.string().optional().meta({
      description: 'With `transition_not_allowed`: the status that the job or its schedule has now.',
    }),
    allowed: z.array(z.string()).optional().meta({
      description:
        'With `transition_not_allowed`: the statuses that can be reached from there; may be empty.',
    }),
  })
  .meta({ id: 'Error', description: 'The body of every response of 400 and above.' });

export type ErrorBody = z.infer<typeof errorBody>;
