import { ERROR_REASON_CATALOGUE, type ErrorReason } from '@partner/proto-contracts/api/error-reasons';

export function httpStatusOf(reason: ErrorReason): number {
  return ERROR_REASON_CATALOGUE[reason].httpStatus;
}

export interface FieldViolation {
  /** Path of the field, e.g. `membershipIds.3`. */
  readonly path: string;
  /** What is wrong and what would be valid. */
  readonly message: string;
}

export interface IdempotencyMark {
  /** True if the outcome was recorded earlier and is returned again without a new effect. */
  readonly replayed: boolean;
  readonly expiresAt: Date;
}

/** Attributes of an error besides its message; the API reference names the reasons of each. */
export interface ErrorAttributes {
  readonly details?: readonly FieldViolation[] | undefined;
  readonly currentVersion?: number | undefined;
  readonly currentStatus?: string | undefined;
  readonly allowed?: readonly string[] | undefined;
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds?: number | undefined;
  readonly idempotency?: IdempotencyMark | undefined;
  /** True: the caller alone caused the error, by more work than its share. It counts against no objective, whatever its status. */
  readonly isOfCaller?: boolean | undefined;
}

/** Advice after an error that may have come after the effect; it is valid with and without a key. */
export const OUTCOME_UNKNOWN_ADVICE =
  'check whether it took effect, or retry with the same Idempotency-Key if the request had one';

/** Advice after an error without effect; it is valid with and without a key. */
export const NOT_DONE_ADVICE =
  'nothing was done; retry, with the same Idempotency-Key if the request had one';

/**
 * An error with a meaning for the caller. `message` is public: partners see it. The cause is private: it is logged
 * where the error becomes a response, and never sent.
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

  /** Converts any thrown value; anything but a `ServiceError` becomes `internal` with a generic message. */
  static from(thrown: unknown): ServiceError {
    return thrown instanceof ServiceError
      ? thrown
      : new ServiceError('internal', `the service failed; ${OUTCOME_UNKNOWN_ADVICE}`, {
          cause: thrown,
        });
  }
}

/**
 * Returns whether an error is a failure of the service: one that is logged as such and counts against its objectives. A 5xx that the
 * caller alone caused is none.
 */
export function isFailure({ reason, attributes }: ServiceError): boolean {
  return httpStatusOf(reason) >= 500 && reason !== 'not_implemented' && attributes.isOfCaller !== true;
}

/** Returns a `not_found` that does not reveal whether the object exists. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `no such ${what}`);
}
