import { z } from 'zod';
import type { ZodOpenApiParameters } from 'zod-openapi';
import type { AnyOperation } from '../api/operation.js';
import { API_VERSION_LIVES, CURRENT_API_VERSION } from '../api/versions.js';
import { idempotencyKeyHeader } from '../values/idempotency-key.js';
import type { DocumentedSurface } from './surfaces.js';

const IDEMPOTENCY_KEY_EXAMPLE = '5f0c1a52-7d4e-4a53-9a54-0f6f3f1c9b7e';

const HEADERS = {
  requestId: z
    .string()
    .optional()
    .meta({
      description:
        'Your own id for this request: 1 to 128 letters, digits, `.`, `_`, `:` and `-`. Any other is ignored, and the' +
        ' response has a new one.',
      param: { id: 'RequestId', example: 'import-20260903-0042' },
    }),
  apiVersion: z
    .enum(API_VERSION_LIVES.map(({ date }) => date))
    .meta({ id: 'ApiVersionDate', description: 'A version of the installer API.' })
    .optional()
    .meta({
      description:
        'Pins a version of the API by its date. Without it you get the current one; an unknown date is 400.',
      param: { id: 'ApiVersion', example: CURRENT_API_VERSION },
    }),
  ifNoneMatch: z
    .string()
    .optional()
    .meta({
      description:
        'The `ETag` of the response that you have. If the content is unchanged, the response is 304.',
      param: { id: 'IfNoneMatch', example: 'W/"l6mbPGpJ4gYjt7nQ0cX1Q8d2pSrpkY6x0fE1u4Yb9aU"' },
    }),
  requiredIdempotencyKey: idempotencyKeyHeader.meta({
    param: { id: 'IdempotencyKey', example: IDEMPOTENCY_KEY_EXAMPLE },
  }),
  optionalIdempotencyKey: idempotencyKeyHeader.optional().meta({
    description: idempotencyKeyHeader.meta()?.description ?? '',
    param: { id: 'OptionalIdempotencyKey', example: IDEMPOTENCY_KEY_EXAMPLE },
  }),
  origin: z.string().meta({
    description: "The console's own origin: other sites may not act with an owner's session.",
    param: { id: 'Origin', example: 'https://partner.example' },
  }),
};

export function requestParameters(
  operation: AnyOperation,
  surface: Pick<DocumentedSurface, 'isVersioned' | 'credentials'>,
): ZodOpenApiParameters {
  const { query } = operation;
  const params = Object.entries(operation.params ?? {}).map(
    ([name, { description, example }]) =>
      [name, z.string().meta({ description, param: { example } })] as const,
  );
  return {
    ...(params.length === 0 ? {} : { path: z.object(Object.fromEntries(params)) }),
    ...(query instanceof z.ZodObject ? { query } : {}),
    header: z.object({
      ...(operation.idempotencyKey === 'required'
        ? { 'Idempotency-Key': HEADERS.requiredIdempotencyKey }
        : {}),
      ...(operation.idempotencyKey === 'optional'
        ? { 'Idempotency-Key': HEADERS.optionalIdempotencyKey }
        : {}),
      ...(operation.conditional === true ? { 'If-None-Match': HEADERS.ifNoneMatch } : {}),
      ...(changesStateInBrowser(operation, surface) ? { Origin: HEADERS.origin } : {}),
      ...(surface.isVersioned ? { 'x-svc-api-version': HEADERS.apiVersion } : {}),
      'x-request-id': HEADERS.requestId,
    }),
  };
}

/** Returns whether an operation writes with a session, so that it needs protection against CSRF. */
export function changesStateInBrowser(
  operation: AnyOperation,
  surface: Pick<DocumentedSurface, 'credentials'>,
): boolean {
  return surface.credentials === 'sessionCookie' && operation.method !== 'get';
}
