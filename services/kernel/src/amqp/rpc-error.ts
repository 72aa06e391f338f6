import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { type RpcError, RpcErrorSchema } from '@partner/proto-contracts/gen/partner/rpc/v1/rpc_error_pb';
import { isErrorReason } from '@partner/proto-contracts/api/error-reasons';
import {
  type ErrorAttributes,
  NOT_DONE_ADVICE,
  OUTCOME_UNKNOWN_ADVICE,
  ServiceError,
} from '../process/service-error.js';

/** Encodes the public part of an error as a `partner.rpc.v1.RpcError`; its cause is not sent. */
export function encodeRpcError(error: ServiceError): Uint8Array {
  const { details, currentVersion, currentStatus, allowed, retryAfterSeconds, idempotency, isOfCaller } =
    error.attributes;
  return toBinary(
    RpcErrorSchema,
    create(RpcErrorSchema, {
      reason: error.reason,
      message: error.message,
      violations: (details ?? []).map(({ path, message }) => ({ path, message })),
      currentVersion,
      currentStatus,
      allowed: [...(allowed ?? [])],
      retryAfterSeconds,
      isOfCaller,
      idempotency: idempotency && {
        replayed: idempotency.replayed,
        expiresAt: timestampFromDate(idempotency.expiresAt),
      },
    }),
  );
}

/** Decodes a `partner.rpc.v1.RpcError`. An unknown reason, and any other message, becomes `internal`. */
export function decodeRpcError(body: Uint8Array): ServiceError {
  let error: RpcError;
  try {
    error = fromBinary(RpcErrorSchema, body);
  } catch (cause) {
    return ServiceError.from(cause);
  }
  const { reason = '', message = '' } = error;
  if (!isErrorReason(reason))
    return ServiceError.from(new Error(`the reason "${reason}" is not known: ${message}`));
  return new ServiceError(reason, message, attributesOf(error));
}

function attributesOf(error: RpcError): ErrorAttributes {
  const { violations, currentVersion, currentStatus, allowed, retryAfterSeconds, idempotency, isOfCaller } =
    error;
  return {
    ...(violations.length > 0 && {
      details: violations.map(({ path = '', message = '' }) => ({ path, message })),
    }),
    ...(currentVersion !== undefined && { currentVersion }),
    ...(currentStatus !== undefined && { currentStatus }),
    // This error always carries its allowed statuses, even if there are none.
    ...((allowed.length > 0 || error.reason === 'transition_not_allowed') && { allowed }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(isOfCaller !== undefined && { isOfCaller }),
    ...(idempotency?.expiresAt && {
      idempotency: {
        replayed: idempotency.replayed ?? false,
        expiresAt: timestampDate(idempotency.expiresAt),
      },
    }),
  };
}

/**
 * Converts any thrown value to a `ServiceError`. Unwraps one that Connect has wrapped. A call that Connect cancelled or
 * timed out becomes `unavailable`. Any other value becomes `internal` with a generic message.
 */
export function serviceErrorFrom(thrown: unknown): ServiceError {
  if (!(thrown instanceof ConnectError)) return ServiceError.from(thrown);
  if (thrown.cause instanceof ServiceError) return thrown.cause;
  switch (thrown.code) {
    case Code.Canceled:
    case Code.DeadlineExceeded:
    case Code.Unavailable:
      return outcomeUnknown(thrown);
    default:
      return ServiceError.from(thrown);
  }
}

/** Returns `unavailable` for a call that was or may have been sent, and got no response. */
export function outcomeUnknown(cause?: unknown): ServiceError {
  return new ServiceError(
    'unavailable',
    `the service did not respond in time; the outcome is unknown; ${OUTCOME_UNKNOWN_ADVICE}`,
    {
      retryAfterSeconds: 1,
      cause,
    },
  );
}

/** Returns `unavailable` for a call that was not executed. */
export function notCarriedOut(cause: unknown): ServiceError {
  return new ServiceError('unavailable', `the service is not available; ${NOT_DONE_ADVICE}`, {
    retryAfterSeconds: 1,
    cause,
  });
}
