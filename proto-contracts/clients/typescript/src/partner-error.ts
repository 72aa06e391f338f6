import type { components } from './gen/schema.js';

/** The body of a refusal, with what belongs to its code: `details`, `currentVersion`, `currentStatus`, `allowed`. */
export type ErrorBody = components['schemas']['Error'];

/** One violation in a request: the field, and the rule or a valid value. */
export type Violation = components['schemas']['ErrorDetail'];

/** A call failed. Every error of a call has this class or a subclass; the abort of the caller is thrown as it is. */
export class PartnerError extends Error {
  override readonly name: string = 'PartnerError';
  /** The key of a write. Send the same request with it to learn or to complete the outcome. */
  readonly idempotencyKey: string | undefined;

  constructor(
    message: string,
    options: ErrorOptions & { readonly idempotencyKey?: string | undefined } = {},
  ) {
    super(message, options);
    this.idempotencyKey = options.idempotencyKey;
  }
}

/** No complete response arrived within the limits of the retries. The outcome of a write is unknown. */
export class ConnectionError extends PartnerError {
  override readonly name = 'ConnectionError';
}

/** The service refused a request, or was unavailable until the retries ended. */
export class ApiError extends PartnerError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** Stable and machine-readable. New codes can come without a new version. */
  readonly code: string;
  /** Support finds the request by it. */
  readonly requestId: string | undefined;
  /** With status 400: every violation. */
  readonly violations: readonly Violation[];
  /** Undefined for a response that did not come from the service, such as one of a proxy. */
  readonly body: ErrorBody | undefined;

  constructor(response: Response, body: ErrorBody | undefined, idempotencyKey?: string) {
    const code = body?.code ?? 'unknown';
    super(`${response.status} ${code}: ${body?.error ?? response.statusText}`, { idempotencyKey });
    this.status = response.status;
    this.code = code;
    this.requestId = body?.requestId ?? response.headers.get('x-request-id') ?? undefined;
    this.violations = body?.details ?? [];
    this.body = body;
  }
}

/** `expectedVersion` is not the current version. Read the resource, decide again, and send a new write. */
export class VersionConflictError extends ApiError {
  override readonly name = 'VersionConflictError';
  readonly currentVersion: number;

  constructor(response: Response, body: ErrorBody, currentVersion: number, idempotencyKey?: string) {
    super(response, body, idempotencyKey);
    this.currentVersion = currentVersion;
  }
}

/** Returns the error for a response of 400 and above. */
export async function errorOf(response: Response, idempotencyKey: string | undefined): Promise<ApiError> {
  const body = parseErrorBody(await response.text());
  return body?.code === 'stale_version' && body.currentVersion !== undefined
    ? new VersionConflictError(response, body, body.currentVersion, idempotencyKey)
    : new ApiError(response, body, idempotencyKey);
}

function parseErrorBody(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isErrorBody(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body && 'code' in body;
}
