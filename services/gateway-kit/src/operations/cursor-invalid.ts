import { ServiceError } from '@partner/kernel/process/service-error';

/** Returns the 400 for a cursor that was not issued to this company. */
export function cursorInvalid(): ServiceError {
  const message = 'must be a nextCursor that this company was given';
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}
