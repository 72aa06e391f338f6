import { type ErrorBody, errorBody } from '@partner/proto-contracts/api/error-body';

type FieldViolation = NonNullable<ErrorBody['details']>[number];

/** A failed request: refused by the API, or without a response. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The `code` of the error body; `no_response` and `not_understood` are the app's own. */
  readonly code: string;
  /** Identifies the request in the service's logs. */
  readonly requestId: string | undefined;
  /** Violations by field, for a 400. */
  readonly details: readonly FieldViolation[];
  /** Seconds to wait, for a 429. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    facts: {
      readonly status: number;
      readonly code: string;
      readonly requestId?: string | undefined;
      readonly details?: readonly FieldViolation[] | undefined;
      readonly retryAfterSeconds?: number | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.details = facts.details ?? [];
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }
}

/** What the client reads of a failed response. */
interface FailedResponse extends Pick<Response, 'status' | 'headers'> {
  json(): Promise<unknown>;
}

/** Converts a response of 400 or above to its error. */
export async function errorOfResponse(response: FailedResponse): Promise<ApiError> {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const body = errorBody.safeParse(await response.json().catch(() => undefined));
  if (!body.success) return unreadable(response, body.error);
  const { error, ...facts } = body.data;
  return new ApiError(error, {
    ...facts,
    status: response.status,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

/** The error of a response that is not the JSON of its operation. */
export function unreadable(response: Pick<Response, 'status' | 'headers'>, cause: unknown): ApiError {
  return new ApiError('The service sent a response that this page cannot read. Reload the page.', {
    status: response.status,
    code: 'not_understood',
    requestId: response.headers.get('x-request-id') ?? undefined,
    cause,
  });
}

/** Returns the message to show for any thrown value. */
export function messageOf(thrown: unknown): string {
  if (thrown instanceof ApiError && thrown.code === 'confirmation_required')
    return 'Confirm that it is you to do this.';
  const text = thrown instanceof ApiError ? thrown.message : 'Something went wrong on this page.';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the violations of an error by field, for a form: `url`, `events.0`, … The field `body.url` is `url`. */
export function violationsByField(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof ApiError)) return {};
  return Object.fromEntries(
    thrown.details.map(({ path, message }) => [path.replace(/^body\./, ''), message]),
  );
}
