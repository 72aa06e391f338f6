import { ServiceError } from '@partner/kernel/service-error';

/**
 * The value of a request field that has to be there. Empty bytes decode as a valid protobuf message, so absence is checked
 * field by field; a missing one is `invalid_argument`.
 */
export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new ServiceError('invalid_argument', `the request has no ${field}`);
  return value;
}
