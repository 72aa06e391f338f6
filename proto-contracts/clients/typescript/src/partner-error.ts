import { parsedUrl } from './parsed-url.js';
import type { components } from './gen/schema.js';

/** The body of a refusal, with what belongs to its code: `details`, `currentVersion`, `currentStatus`, `allowed`. */
export type ErrorBody = components['schemas']['Error'];

/** One violation in a request: the field, and the rule or a valid value. */
export type Violation = components['schemas']['ErrorDetail'];

/** A call failed. Every error of a call has this class or a subclass; the abort of the caller is thrown as it is. */
export class PartnerError extends Error {
  override readonly name: string = 'PartnerError';
  /**
   * True: another try can succeed, or its outcome is unknown. Keep the request and repeat it later, a write with its key. False: the
   * same request fails again.
   */
  readonly retryable: boolean;
  /** The key of a write. Send the same request with it to learn or to complete the outcome. */
  readonly idempotencyKey: string | undefined;

  constructor(
    message: string,
    options: ErrorOptions & {
      readonly idempotencyKey?: string | undefined;
      readonly retryable?: boolean;
    } = {},
  ) {
    super(message, options);
    this.retryable = options.retryable ?? false;
    this.idempotencyKey = options.idempotencyKey;
  }
}

/** No complete response arrived within the limits of the retries. The outcome of a write is unknown. */
export class ConnectionError extends PartnerError {
  override readonly name = 'ConnectionError';

  constructor(
    message: string,
    options: ErrorOptions & { readonly idempotencyKey?: string | undefined } = {},
  ) {
    super(message, { ...options, retryable: true });
  }
}

/** Refusals that pass with time: the request timed out, came too early, or exceeds a rate. */
const PASSING = new Set([408, 425, 429]);
/** Conflicts that end with the request or the replay that is in flight. */
const IN_PROGRESS: ReadonlySet<string> = new Set(['idempotency_in_progress', 'replay_in_progress']);

/** The service refused a request, or was unavailable until the retries ended. */
export class ApiError extends PartnerError {
  override readonly name: string = 'ApiError';
  readonly status: number;
  /** Stable and machine-readable. New codes can come without a new version. */
  readonly code: string;
  /** Send it to support, who can find the request by it. */
  readonly requestId: string | undefined;
  /** With status 400: every violation. */
  readonly violations: readonly Violation[];
  /** Undefined for a response that did not come from the service, such as one of a proxy. */
  readonly body: ErrorBody | undefined;

  constructor(response: Response, body: ErrorBody | undefined, idempotencyKey?: string) {
    const { status } = response;
    const code = body?.code ?? 'unknown';
    super(`${status} ${code}: ${redirectOf(response) ?? body?.error ?? response.statusText}`, {
      idempotencyKey,
      retryable: status >= 500 || PASSING.has(status) || IN_PROGRESS.has(code),
    });
    this.status = status;
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

/** Says where a redirect leads, by its origin alone: the rest of a location can hold a secret. */
function redirectOf({ status, headers }: Response): string | undefined {
  if (status < 300 || status > 399 || status === 304) return undefined;
  const place = placeOf(headers.get('location'));
  return `the server redirects to ${place}, and redirects are not followed; check baseUrl`;
}

function placeOf(location: string | null): string {
  const same = 'http://same.invalid';
  const url = location === null ? undefined : parsedUrl(location, same);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'an unknown location';
  return url.origin === same ? 'another path' : url.origin;
}

/** Returns the error for a response that is not a success. */
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
