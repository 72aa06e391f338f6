import { z } from 'zod';
import { ERROR_REASON_CATALOGUE, isErrorReason } from './error-reasons.js';

const errorCode = z.enum(Object.keys(ERROR_REASON_CATALOGUE).filter(isErrorReason)).meta({
  id: 'ErrorCode',
  description:
    'Machine-readable error. The meaning of a code never changes. New codes need no new version: accept unknown codes and use the status.',
});

/**
 * The body of every error response. `error` is the contract; the other fields are additions that clients may ignore.
 */
export const errorBody = z
  .object({
    error: z.string().meta({ description: 'Message for people; names the field for a 400.' }),
    code: errorCode,
    requestId: z.string().meta({
      description: 'The same as the header `x-request-id`. Log it: it identifies the request in our logs.',
    }),
    details: z
      .array(
        z
          .object({
            path: z.string().meta({
              description: 'The invalid field such as `membershipIds.3`, parameter or header.',
            }),
            message: z.string().meta({ description: 'The rule, or a valid value.' }),
          })
          .meta({ id: 'ErrorDetail', description: 'One violation in a request.' }),
      )
      .optional()
      .meta({ description: 'With a 400: all violations.' }),
    currentVersion: z
      .int()
      .optional()
      .meta({ description: 'With `stale_version`: the current version of the job.' }),
    currentStatus: z.string().optional().meta({
      description: 'With `transition_not_allowed`: the current status of the job or its schedule.',
    }),
    allowed: z.array(z.string()).optional().meta({
      description:
        'With `transition_not_allowed`: the statuses that can be reached from there; may be empty.',
    }),
  })
  .meta({ id: 'Error', description: 'The body of every response of 400 and above.' });

export type ErrorBody = z.infer<typeof errorBody>;
