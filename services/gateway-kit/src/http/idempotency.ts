import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { IdempotencyMark } from '@partner/kernel/process/service-error';

/** Returns `idempotency-expires` for an outcome that can be replayed, and `idempotency-replayed` for a replay. */
export function idempotencyHeaders(mark: IdempotencyMark): Readonly<Record<string, string>> {
  return {
    'idempotency-expires': formatDateTime(mark.expiresAt),
    ...(mark.replayed ? { 'idempotency-replayed': 'true' } : {}),
  };
}
