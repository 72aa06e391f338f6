import type { oas31, ZodOpenApiResponseObject } from 'zod-openapi';
import { errorBody, type ErrorBody } from '../api/error-body.js';
import { ERROR_REASON_CATALOGUE, type ErrorReason, isErrorReason } from '../api/error-reasons.js';
import type { AnyOperation } from '../api/operation.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import { markdownTable } from './markdown-table.js';
import { pascalCase } from './pascal-case.js';
import { changesStateInBrowser } from './request-parameters.js';
import { errorHeaders } from './response-headers.js';
import type { DocumentedSurface } from './surfaces.js';

const REQUEST_ID = '0198f5c2-9d1e-7c3a-b6a4-2f60d1e8c7b5';

const STATUS_TITLES: Readonly<Record<number, string>> = {
  400: 'The request is invalid',
  401: 'The credentials are missing or invalid',
  403: 'The caller may not do this',
  404: 'The resource does not exist for this caller',
  408: 'The body came too slowly',
  409: 'The request conflicts with the current state or an earlier request',
  413: 'The body is too large',
  422: 'The request is valid, but cannot be carried out',
  429: 'Too many requests',
  500: 'The service has an internal error',
  503: 'The service did not respond in time',
};

/** Returns every error of an operation, in the order of the catalogue: those of its kind, and its own. */
function errorsOf(operation: AnyOperation, surface: DocumentedSurface): readonly ErrorReason[] {
  const { query, body, params, idempotencyKey } = operation;
  const isConsoleWrite = changesStateInBrowser(operation, surface);
  const takesInput = [query, body, params, idempotencyKey].some((input) => input !== undefined);
  const possible = new Set<ErrorReason>([
    ...(takesInput || surface.isVersioned || isConsoleWrite ? (['invalid_argument'] as const) : []),
    ...(operation.unauthenticated === true ? [] : (['unauthenticated'] as const)),
    ...(operation.scope !== undefined || isConsoleWrite ? (['permission_denied'] as const) : []),
    ...(body === undefined ? [] : (['body_too_complex', 'body_too_slow', 'payload_too_large'] as const)),
    ...(operation.needsConfirmation === undefined ? [] : (['confirmation_required'] as const)),
    'rate_limited',
    'internal',
    'unavailable',
    ...(operation.errors ?? []),
  ]);
  return Object.keys(ERROR_REASON_CATALOGUE)
    .filter(isErrorReason)
    .filter((reason) => possible.has(reason));
}

export function errorResponseReferences(
  operation: AnyOperation,
  surface: DocumentedSurface,
): Record<string, oas31.ReferenceObject> {
  return Object.fromEntries(
    [...codesByStatus(operation, surface)].map(([status, codes]) => [
      String(status),
      { $ref: `#/components/responses/${responseName(codes)}` },
    ]),
  );
}

/**
 * Returns the components that {@link errorResponseReferences} refers to: one for each set of codes that a status of some operation
 * has.
 */
export function errorResponses(
  surfaces: readonly DocumentedSurface[],
): Record<string, ZodOpenApiResponseObject> {
  const sets = surfaces.flatMap((surface) =>
    surface.operations.flatMap((operation) => [...codesByStatus(operation, surface)]),
  );
  return Object.fromEntries(
    sets.map(([status, codes]) => [responseName(codes), errorResponse(status, codes)]),
  );
}

function codesByStatus(
  operation: AnyOperation,
  surface: DocumentedSurface,
): ReadonlyMap<number, readonly ErrorReason[]> {
  const byStatus = new Map<number, readonly ErrorReason[]>();
  for (const code of errorsOf(operation, surface)) {
    const { httpStatus } = ERROR_REASON_CATALOGUE[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  return byStatus;
}

function responseName(codes: readonly ErrorReason[]): string {
  return codes.map(pascalCase).join('Or');
}

function errorResponse(status: number, codes: readonly ErrorReason[]): ZodOpenApiResponseObject {
  return {
    description: `${STATUS_TITLES[status] ?? 'Error'}.\n\n${markdownTable(
      ['Code', 'Meaning', 'What to do'],
      codes.map((code) => {
        const { meaning, action } = ERROR_REASON_CATALOGUE[code];
        return [`\`${code}\``, meaning, action];
      }),
    )}`,
    headers: errorHeaders(status),
    content: {
      'application/json': {
        schema: errorBody,
        examples: Object.fromEntries(
          codes.map((code) => {
            const { error, ...more } = ERROR_EXAMPLES[code];
            const value = { error, code, requestId: REQUEST_ID, ...more } satisfies ErrorBody;
            return [code, { summary: ERROR_REASON_CATALOGUE[code].meaning, value }];
          }),
        ),
      },
    },
    'x-error-codes': codes,
  };
}
