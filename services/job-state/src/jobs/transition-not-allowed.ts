import { ServiceError } from '@partner/kernel/process/service-error';

/** The error for a disallowed status change, with the allowed ones. */
export function transitionNotAllowed(
  what: 'job' | 'schedule',
  move: { readonly from: string; readonly to: string; readonly allowed: readonly string[] },
): ServiceError {
  const { from, to, allowed } = move;
  return new ServiceError(
    'transition_not_allowed',
    `a ${what} that is ${from} cannot move to ${to}; it can move to: ${allowed.join(', ')}`,
    { currentStatus: from, allowed },
  );
}
