import { ERROR_REASON_CATALOGUE, type ErrorReason } from '@partner/proto-contracts/public-api/error-reasons';

/** The HTTP status of a failure. */
export function httpStatusOf(reason: ErrorReason): number {
  return ERROR_REASON_CATALOGUE[reason].httpStatus;
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

/** What a caller should do after a failure that may have come after the effect; whether or not its request had a key. */
export const OUTCOME_UNKNOWN_ADVICE =
  'look whether it took effect, or retry with the same Idempotency-Key where the request had one';

/** What a caller should do after a failure without effect; whether or not its request had a key. */
export const NOT_DONE_ADVICE =
  'nothing was done; retry, with the same Idempotency-Key where the request had one';

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
      : new ServiceError('internal', `the service failed; ${OUTCOME_UNKNOWN_ADVICE}`, {
          cause: thrown,
        });
  }
}

/** A `not_found` that confirms nothing about existence. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `no such ${what}`);
}
