import type { oas31 } from 'zod-openapi';
import type { AnyOperation, ResponseHeader } from '../api/operation.js';
import { CURRENT_API_VERSION } from '../api/versions.js';
import type { DocumentedSurface } from './surfaces.js';

interface NamedHeader extends ResponseHeader {
  readonly name: string;
}

/** Headers shared by several responses, by the name of their component. */
const COMMON_HEADERS = {
  RequestId: {
    name: 'x-request-id',
    description: 'The id of the request: yours, if you sent one, else a new one. Log it.',
    example: '0198f5c2-9d1e-7c3a-b6a4-2f60d1e8c7b5',
    required: true,
  },
  ApiVersion: {
    name: 'x-svc-api-version',
    description: 'The version date of the response, on the installer API.',
    example: CURRENT_API_VERSION,
    required: true,
  },
  RateLimitPolicy: {
    name: 'RateLimit-Policy',
    description:
      'The limit that the request was counted against: `q` requests in any `w` seconds. Without a valid key it is that of' +
      ' the client address, `"failed-authentication"`.',
    example: '"default";q=60;w=60',
    required: true,
  },
  RateLimit: {
    name: 'RateLimit',
    description: 'The rest of the limit: `r` requests fit now, more after `t` seconds (at most 60).',
    example: '"default";r=59;t=60',
    required: true,
  },
  ETag: {
    name: 'ETag',
    description: 'Identifies this content. Send it as `If-None-Match` to get a 304 if it is unchanged.',
    example: 'W/"l6mbPGpJ4gYjt7nQ0cX1Q8d2pSrpkY6x0fE1u4Yb9aU"',
    required: true,
  },
  WwwAuthenticate: {
    name: 'WWW-Authenticate',
    description:
      'The credentials that the operation accepts: `ApiKey`, the header `x-api-key`, or `Session`, the cookie of a signed-in owner.',
    example: 'ApiKey realm="installer"',
    required: true,
  },
  RetryAfter: {
    name: 'retry-after',
    description: 'Whole seconds to wait before the next attempt, at least.',
    example: 3,
    required: true,
  },
  IdempotencyExpires: {
    name: 'idempotency-expires',
    description: 'Until when a request with this key returns this response again. Only with a key.',
    example: '2026-10-18T12:31:07.412Z',
  },
  IdempotencyReplayed: {
    name: 'idempotency-replayed',
    description: '`true` when this is the response to an earlier request with the same key.',
    example: 'true',
  },
} as const satisfies Record<string, NamedHeader>;

/** Headers that an error has too, if its surface has them and they were known when it occurred. */
const ON_ERRORS_TOO = ['ApiVersion', 'RateLimitPolicy', 'RateLimit'] as const;

type HeaderReferences = Record<string, oas31.ReferenceObject>;

/** Returns the components that {@link successHeaders} and {@link errorHeaders} refer to. */
export function headerComponents(): Record<string, oas31.HeaderObject> {
  return Object.fromEntries([
    ...Object.entries(COMMON_HEADERS).map(([id, header]) => [`${id}Header`, headerObject(header)] as const),
    ...ON_ERRORS_TOO.map(
      (id) => [`${id}OfErrorHeader`, headerObject({ ...COMMON_HEADERS[id], required: false })] as const,
    ),
  ]);
}

export function successHeaders(
  operation: AnyOperation,
  surface: Pick<DocumentedSurface, 'isVersioned'>,
): HeaderReferences {
  return {
    ...refer('RequestId'),
    ...(surface.isVersioned ? refer('ApiVersion') : {}),
    ...(operation.unauthenticated === true ? {} : { ...refer('RateLimitPolicy'), ...refer('RateLimit') }),
    ...(operation.conditional === true ? refer('ETag') : {}),
    ...(takesIdempotencyKey(operation)
      ? { ...refer('IdempotencyExpires'), ...refer('IdempotencyReplayed') }
      : {}),
  };
}

export function errorHeaders(status: number): HeaderReferences {
  const isRecorded = status === 409 || status === 422;
  return {
    ...refer('RequestId'),
    ...(status === 401 ? refer('WwwAuthenticate') : {}),
    ...(status === 429 || status === 503 ? refer('RetryAfter') : {}),
    ...refer('ApiVersion', 'ApiVersionOfError'),
    ...refer('RateLimitPolicy', 'RateLimitPolicyOfError'),
    ...refer('RateLimit', 'RateLimitOfError'),
    ...(isRecorded ? { ...refer('IdempotencyExpires'), ...refer('IdempotencyReplayed') } : {}),
  };
}

export function headerObject(header: ResponseHeader): oas31.HeaderObject {
  const { description, example, required } = header;
  return {
    description,
    ...(required === true ? { required } : {}),
    schema: { type: typeof example === 'number' ? 'integer' : 'string' },
    example,
  };
}

function refer(id: keyof typeof COMMON_HEADERS, component: string = id): HeaderReferences {
  return { [COMMON_HEADERS[id].name]: { $ref: `#/components/headers/${component}Header` } };
}

function takesIdempotencyKey(operation: AnyOperation): boolean {
  return operation.idempotencyKey !== undefined || operation.idempotencyKeyInBody === true;
}
