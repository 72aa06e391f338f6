import type { IdempotencyKey } from '@partner/proto-contracts/gen/partner/rpc/v1/idempotency_pb';
import { required } from '../rpc/required.js';
import type { IdempotencyBinding } from './run-idempotent.js';

/** Reads the idempotency key of an RPC request. Throws `invalid_argument` for an incomplete one. */
export function readBinding(key: IdempotencyKey): IdempotencyBinding {
  return {
    key: required(key.key, 'idempotency_key.key'),
    operation: required(key.operation, 'idempotency_key.operation'),
    bodySha256: required(key.bodySha256, 'idempotency_key.body_sha256'),
  };
}
