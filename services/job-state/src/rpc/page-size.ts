import { ServiceError } from '@partner/kernel/service-error';

const PAGE_SIZE = { default: 50, max: 100 } as const;

/** Returns the requested page size; `invalid_argument` if it is out of range. */
export function pageSize(
  limit: number | undefined,
  size: { readonly default: number; readonly max: number } = PAGE_SIZE,
): number {
  if (limit === undefined) return size.default;
  if (limit >= 1 && limit <= size.max) return limit;
  throw new ServiceError('invalid_argument', `limit must be from 1 to ${size.max}`);
}
