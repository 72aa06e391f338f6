import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type {
  IdempotencyKeySchema,
  IdempotencyOutcome,
} from '@partner/proto-contracts/gen/partner/rpc/v1/idempotency_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { IdempotencyMark } from '@partner/kernel/service-error';
import type { EndpointRequest } from './endpoint.js';

/** Returns what binds a write to its first use (spec: Idempotency rules 1); undefined without a key. */
export function idempotencyKeyOf(
  request: Pick<EndpointRequest<unknown, unknown, unknown>, 'idempotencyKey' | 'operation' | 'bodySha256'>,
): MessageInitShape<typeof IdempotencyKeySchema> | undefined {
  const { idempotencyKey: key, operation, bodySha256 } = request;
  return key === undefined ? undefined : { key, operation, bodySha256 };
}

/** Returns the headers of an outcome recorded under a key; none without a key. */
export function idempotencyHeadersOf(
  outcome: IdempotencyOutcome | undefined,
): Readonly<Record<string, string>> {
  if (outcome?.expiresAt === undefined) return {};
  return idempotencyHeaders({
    replayed: outcome.replayed ?? false,
    expiresAt: timestampDate(outcome.expiresAt),
  });
}

/** Returns `idempotency-expires` for an outcome that can be replayed, and `idempotency-replayed` for a replay. */
export function idempotencyHeaders(mark: IdempotencyMark): Readonly<Record<string, string>> {
  return {
    'idempotency-expires': formatDateTime(mark.expiresAt),
    ...(mark.replayed ? { 'idempotency-replayed': 'true' } : {}),
  };
}
