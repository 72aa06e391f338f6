import { ServiceError } from '@partner/kernel/process/service-error';

/**
 * Returns a required request field; `invalid_argument` if it is missing.
 *
 * Empty bytes decode as a valid protobuf message, so absence is checked field by field.
 */
export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new ServiceError('invalid_argument', `the request has no ${field}`);
  return value;
}
