import { ServiceError } from '@partner/kernel/service-error';

/** The error for a cursor from data that a restore has lost (decision RESTORE-2). `remedy` says how to go on. */
export function cursorLost(remedy: string): ServiceError {
  const message = `is from data that was lost when the service was restored from a backup; ${remedy}`;
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}
