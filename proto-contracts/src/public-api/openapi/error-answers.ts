import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { KEY_LIMITS } from '../api-key-management.js';
import { errorBody, type ErrorBody } from '../error-body.js';
import { ERROR_REASON_CATALOGUE, type ErrorReason, isErrorReason } from '../error-reasons.js';
import { INSTALLER_JOB_EXAMPLE } from '../examples/installer-job-example.js';
import { LIMITS } from '../limits.js';
import type { AnyOperation, ErrorExample } from '../operation.js';
import { keyRefusal, missingScope, requestLimitReached } from '../refusals.js';
import { CURRENT_API_VERSION } from '../versions.js';
import { WEBHOOK_LIMITS } from '../webhook-subscription.js';
import { errorHeaders } from './answer-headers.js';
import { markdownTable } from './markdown-table.js';
import { changesStateInBrowser } from './request-parameters.js';
import type { DocumentedSurface } from './surfaces.js';

const REQUEST_ID = '0198f5c2-9d1e-7c3a-b6a4-2f60d1e8c7b5';

const STATUS_TITLES: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'The caller is not known',
  403: 'The caller may not do this',
  404: 'There is no such thing for this caller',
  409: 'The request conflicts with the present state or an earlier request',
  413: 'The body is too large',
  422: 'The request is understood, but can not be carried out',
  429: 'Too many requests',
  500: 'The service has a fault',
  503: 'The service does not answer in time',
};

/** Every way in which an operation can fail, in the order of the catalogue: what every one of its kind can answer, and its own. */
export function errorsOf(operation: AnyOperation, surface: DocumentedSurface): readonly ErrorReason[] {
  const { query, body, params, idempotencyKey } = operation;
  const isConsoleWrite = changesStateInBrowser(operation, surface);
  const takesInput = [query, body, params, idempotencyKey].some((input) => input !== undefined);
  const possible = new Set<ErrorReason>([
    ...(takesInput || surface.isVersioned || isConsoleWrite ? (['invalid_argument'] as const) : []),
    ...(operation.unauthenticated === true ? [] : (['unauthenticated'] as const)),
    ...(operation.scope !== undefined || isConsoleWrite ? (['permission_denied'] as const) : []),
    ...(body === undefined ? [] : (['payload_too_large'] as const)),
    'rate_limited',
    'internal',
    'unavailable',
    ...(operation.errors ?? []),
  ]);
  return Object.keys(ERROR_REASON_CATALOGUE)
    .filter(isErrorReason)
    .filter((reason) => possible.has(reason));
}

/** Describes the error answers of an operation by status, each with its codes and an example of each. */
export function errorAnswers(
  operation: AnyOperation,
  surface: DocumentedSurface,
): Record<string, ZodOpenApiResponseObject> {
  const byStatus = new Map<number, ErrorReason[]>();
  for (const reason of errorsOf(operation, surface)) {
    const { httpStatus } = ERROR_REASON_CATALOGUE[reason];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), reason]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, reasons]) => [
      String(status),
      {
        description: `${STATUS_TITLES[status] ?? 'Error'}.\n\n${describeErrors(reasons)}`,
        headers: errorHeaders(operation, surface, status),
        content: {
          'application/json': {
            schema: errorBody,
            examples: Object.fromEntries(
              reasons.map((reason) => [
                reason,
                {
                  summary: ERROR_REASON_CATALOGUE[reason].meaning,
                  value: exampleOf(reason, operation, surface),
                },
              ]),
            ),
          },
        },
        'x-error-codes': reasons,
      },
    ]),
  );
}

/** A table of errors with what a caller should do, in Markdown. */
export function describeErrors(reasons: readonly ErrorReason[]): string {
  return markdownTable(
    ['Code', 'Meaning', 'What to do'],
    reasons.map((reason) => {
      const { meaning, action } = ERROR_REASON_CATALOGUE[reason];
      return [`\`${reason}\``, meaning, action];
    }),
  );
}

function exampleOf(reason: ErrorReason, operation: AnyOperation, surface: DocumentedSurface): ErrorBody {
  const { error, ...rest } = operation.errorExamples?.[reason] ?? usualExample(reason, operation, surface);
  return { error, code: reason, requestId: REQUEST_ID, ...rest };
}

function usualExample(
  reason: ErrorReason,
  operation: AnyOperation,
  surface: DocumentedSurface,
): ErrorExample {
  const { version } = INSTALLER_JOB_EXAMPLE;
  switch (reason) {
    case 'invalid_argument': {
      const fault = operation.faultExample ?? usualFault(operation, surface);
      return { error: `${fault.path}: ${fault.message}`, details: [fault] };
    }
    case 'cursor_invalid': {
      const fault = { path: 'cursor', message: 'must be a nextCursor that this company was given' };
      return { error: `${fault.path}: ${fault.message}`, details: [fault] };
    }
    case 'unauthenticated':
      return surface.keySurface === undefined
        ? { error: 'the session has ended; sign in with POST /partner-api/session' }
        : { error: keyRefusal(surface.keySurface) };
    case 'permission_denied':
      return operation.scope === undefined || surface.keySurface === undefined
        ? { error: 'the origin header must be https://partner.example' }
        : { error: missingScope(surface.keySurface, operation.scope) };
    case 'confirmation_required':
      return {
        error: 'confirm your password with POST /partner-api/session/confirm, then send the request again',
      };
    case 'password_wrong':
      return { error: 'the password is wrong' };
    case 'not_found':
      return { error: surface.credentials === 'session' ? 'no such webhook subscription' : 'no such job' };
    case 'method_not_allowed':
      return { error: 'method: PATCH is not allowed here; allowed: GET, HEAD' };
    case 'stale_version':
      return {
        error: `expectedVersion is ${version - 1}, but the job is at version ${version}; read it again`,
        currentVersion: version,
      };
    case 'idempotency_mismatch':
      return { error: 'this Idempotency-Key was used for another operation or another body; use a new key' };
    case 'idempotency_in_progress':
      return { error: 'a request with this Idempotency-Key is still running; retry with the same key' };
    case 'test_delivery_required':
      return {
        error: 'the subscription has had no verified test delivery; send one and wait until it is delivered',
      };
    case 'subscription_limit_reached':
      return {
        error: `a company can have at most ${WEBHOOK_LIMITS.subscriptionsPerCompany} webhook subscriptions; delete one first`,
      };
    case 'secret_version_mismatch':
      return {
        error: 'pendingSecretVersion: 1 is already active; the pending secret is 2',
      };
    case 'delivery_not_replayable':
      return {
        error: 'the delivery is retry_scheduled; only one that is delivered or dead_lettered can be replayed',
      };
    case 'replay_in_progress':
      return {
        error:
          'dlv_01k3jd9w6ne3zr1v8xk5c2m4qa sends this event to this subscription already; wait for its end',
      };
    case 'event_expired':
      return { error: 'the event is no longer kept; there is nothing to replay' };
    case 'key_not_rotatable':
      return { error: 'the key is revoked; create another one' };
    case 'key_kind_not_allowed':
      return {
        error: 'kind: must be one of general, installer-contractor for a company of class SALES',
        details: [
          {
            path: 'kind',
            message: 'must be one of general, installer-contractor for a company of class SALES',
          },
        ],
      };
    case 'installer_not_bindable':
      return {
        error: 'boundCompanyId: must be an installer company that a job of yours is or was assigned to',
        details: [
          {
            path: 'boundCompanyId',
            message: 'must be an installer company that a job of yours is or was assigned to',
          },
        ],
      };
    case 'key_limit_reached':
      return {
        error: `a company can have at most ${KEY_LIMITS.keysInForce} API keys in force; revoke one first`,
      };
    case 'payload_too_large':
      return { error: `body: must be at most ${LIMITS.bodyBytes} bytes` };
    case 'transition_not_allowed':
      return {
        error: 'a job that is ASSIGNED cannot move to COMPLETE; it can move to: ACKNOWLEDGED, BLOCKED',
        currentStatus: 'ASSIGNED',
        allowed: ['ACKNOWLEDGED', 'BLOCKED'],
      };
    case 'schedule_invalid':
      return { error: 'endsAt: must be after startsAt' };
    case 'technician_not_assignable':
      return { error: 'membershipIds.1: must be an active technician of the company' };
    case 'note_limit_reached':
      return {
        error: `note: all notes of a job together must be at most ${LIMITS.installerNoteLength} characters`,
      };
    case 'rate_limited':
      return { error: requestLimitReached(surface.requestsPerMinute, surface.countedAs, 3) };
    case 'internal':
      return {
        error:
          'the service failed; look whether it took effect, or retry with the same Idempotency-Key where the request had one',
      };
    case 'not_implemented':
      return { error: 'transfer-encoding: must be chunked; other codings are not supported' };
    case 'unavailable':
      return {
        error:
          'the service did not answer in time; the outcome is unknown; look whether it took effect, or retry with the same Idempotency-Key where the request had one',
      };
    default:
      return reason satisfies never;
  }
}

function usualFault(operation: AnyOperation, surface: DocumentedSurface): { path: string; message: string } {
  if (surface.isVersioned) return { path: 'x-svc-api-version', message: `must be ${CURRENT_API_VERSION}` };
  if (changesStateInBrowser(operation, surface)) {
    return { path: 'content-type', message: 'must be application/json' };
  }
  return { path: 'path', message: 'must be percent-encoded UTF-8' };
}
