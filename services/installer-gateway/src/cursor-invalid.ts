import { ServiceError } from '@partner/kernel/service-error';

/** The 400 for a cursor that this company was not given. */
export function cursorInvalid(): ServiceError {
  const message = 'must be a nextCursor that this company was given';
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}
