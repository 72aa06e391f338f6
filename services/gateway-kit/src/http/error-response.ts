import type { ErrorBody } from '@partner/proto-contracts/api/error-body';
import { httpStatusOf, type IdempotencyMark, type ServiceError } from '@partner/kernel/process/service-error';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { EndpointResponse } from './endpoint.js';

export function errorResponse(error: ServiceError, requestId: string): EndpointResponse {
  const { details, currentVersion, currentStatus, allowed, idempotency } = error.attributes;
  const status = httpStatusOf(error.reason);
  const json: ErrorBody = {
    error: error.message,
    code: error.reason,
    requestId,
    ...(details === undefined || status !== 400 ? {} : { details: [...details] }),
    ...(currentVersion === undefined ? {} : { currentVersion }),
    ...(currentStatus === undefined ? {} : { currentStatus }),
    ...(allowed === undefined ? {} : { allowed: [...allowed] }),
  };
  return {
    status,
    json,
    headers: {
      ...(status === 429 || status === 503 ? { 'retry-after': retryAfter(error) } : {}),
      ...(idempotency === undefined ? {} : idempotencyHeaders(idempotency)),
    },
  };
}

function retryAfter(error: ServiceError): string {
  return String(Math.max(1, Math.ceil(error.attributes.retryAfterSeconds ?? 1)));
}

/** Returns `idempotency-expires` for a recorded outcome, and `idempotency-replayed` for a repeat. */
export function idempotencyHeaders(mark: IdempotencyMark): Readonly<Record<string, string>> {
  return {
    'idempotency-expires': formatDateTime(mark.expiresAt),
    ...(mark.replayed ? { 'idempotency-replayed': 'true' } : {}),
  };
}
