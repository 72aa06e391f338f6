import { Code } from '@connectrpc/connect';

/** Every way in which an operation can fail towards a caller. It is also the `code` of the HTTP error body. */
export type ErrorReason =
  | 'invalid_argument'
  | 'cursor_invalid'
  | 'unauthenticated'
  | 'permission_denied'
  | 'not_found'
  | 'method_not_allowed'
  | 'stale_version'
  | 'idempotency_mismatch'
  | 'idempotency_in_progress'
  | 'test_delivery_required'
  | 'payload_too_large'
  | 'transition_not_allowed'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

/** The one table from reason to HTTP status and RPC code. */
export const ERROR_REASONS = {
  invalid_argument: { httpStatus: 400, rpcCode: Code.InvalidArgument },
  cursor_invalid: { httpStatus: 400, rpcCode: Code.InvalidArgument },
  unauthenticated: { httpStatus: 401, rpcCode: Code.Unauthenticated },
  permission_denied: { httpStatus: 403, rpcCode: Code.PermissionDenied },
  not_found: { httpStatus: 404, rpcCode: Code.NotFound },
  method_not_allowed: { httpStatus: 405, rpcCode: Code.Unimplemented },
  stale_version: { httpStatus: 409, rpcCode: Code.Aborted },
  idempotency_mismatch: { httpStatus: 409, rpcCode: Code.AlreadyExists },
  idempotency_in_progress: { httpStatus: 409, rpcCode: Code.Aborted },
  test_delivery_required: { httpStatus: 409, rpcCode: Code.FailedPrecondition },
  payload_too_large: { httpStatus: 413, rpcCode: Code.ResourceExhausted },
  transition_not_allowed: { httpStatus: 422, rpcCode: Code.FailedPrecondition },
  rate_limited: { httpStatus: 429, rpcCode: Code.ResourceExhausted },
  unavailable: { httpStatus: 503, rpcCode: Code.Unavailable },
  internal: { httpStatus: 500, rpcCode: Code.Internal },
} as const satisfies Record<ErrorReason, { httpStatus: number; rpcCode: Code }>;

/** Tells whether a text is a reason that this version knows. */
export function isErrorReason(text: string): text is ErrorReason {
  return Object.hasOwn(ERROR_REASONS, text);
}

/** One fault in one field, for the caller. */
export interface FieldViolation {
  /** Where the field is, e.g. `membershipIds.3`. */
  readonly path: string;
  /** What is wrong and what would be right. */
  readonly message: string;
}

/** How an idempotency key took part in an outcome. */
export interface IdempotencyMark {
  /** True when the outcome was recorded earlier and is repeated without a new effect. */
  readonly replayed: boolean;
  /** Until when the key can be repeated. */
  readonly expiresAt: Date;
}

/** What a failure carries besides its message; each field belongs to the reasons named in the API reference. */
export interface ErrorAttributes {
  readonly details?: readonly FieldViolation[];
  readonly currentVersion?: number;
  readonly currentStatus?: string;
  readonly allowed?: readonly string[];
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds?: number;
  readonly idempotency?: IdempotencyMark;
}

/**
 * A failure that has a meaning for the caller. `message` is public: it reaches partners. What caused it is private: it
 * is logged where the failure is turned into an answer, and never sent.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly reason: ErrorReason;
  readonly attributes: ErrorAttributes;

  constructor(reason: ErrorReason, message: string, attributes: ErrorAttributes & { cause?: unknown } = {}) {
    const { cause, ...rest } = attributes;
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.attributes = rest;
  }

  /** Takes any thrown value; what is no `ServiceError` becomes `internal` with a message that says nothing of it. */
  static from(thrown: unknown): ServiceError {
    return thrown instanceof ServiceError
      ? thrown
      : new ServiceError('internal', 'the service failed; retry with the same Idempotency-Key', {
          cause: thrown,
        });
  }
}

/** A `not_found` that confirms nothing about existence. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `no such ${what}`);
}
