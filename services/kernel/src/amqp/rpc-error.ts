import { NOT_DONE_ADVICE, OUTCOME_UNKNOWN_ADVICE, ServiceError } from '../process/service-error.js';

/** Returns `unavailable` for a call that was or may have been sent, and got no response. */
export function outcomeUnknown(cause?: unknown): ServiceError {
  return new ServiceError(
    'unavailable',
    `the service did not respond in time; the outcome is unknown; ${OUTCOME_UNKNOWN_ADVICE}`,
    {
      retryAfterSeconds: 1,
      cause,
    },
  );
}

/** Returns `unavailable` for a call that was not executed. */
export function notCarriedOut(cause: unknown): ServiceError {
  return new ServiceError('unavailable', `the service is not available; ${NOT_DONE_ADVICE}`, {
    retryAfterSeconds: 1,
    cause,
  });
}
