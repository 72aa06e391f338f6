import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { IdempotencyOutcomeSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/idempotency_pb';
import type { IdempotencyMark } from '@partner/kernel/service-error';

/** An idempotency mark as RPC responses carry it. */
export function idempotencyOutcome(mark: IdempotencyMark): MessageInitShape<typeof IdempotencyOutcomeSchema> {
  return { replayed: mark.replayed, expiresAt: timestampFromDate(mark.expiresAt) };
}
