import { ServiceError } from '@partner/kernel/service-error';

const PAGE_SIZE = { default: 50, max: 100 } as const;

/** Returns the requested page size; `invalid_argument` if it is out of range. */
export function pageSize(limit: number = PAGE_SIZE.default): number {
  if (limit >= 1 && limit <= PAGE_SIZE.max) return limit;
  throw new ServiceError('invalid_argument', `limit must be from 1 to ${PAGE_SIZE.max}`);
}
