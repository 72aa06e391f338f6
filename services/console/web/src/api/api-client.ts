import { withQuery } from '../paths.js';
import type { ErrorBody } from '@partner/proto-contracts/api/error-body';
import { errorSentence, sentenceOfError, textForDetails } from '@partner/console/shared/error-sentences';

/** The part of a `Response` that is used. */
interface ApiResponse extends Pick<Response, 'ok' | 'status' | 'headers'> {
  json<Json>(): Promise<Json>;
}

/** Dependencies of the client. */
interface ApiClientDeps {
  /** Method and path of an operation below `/partner-api`: `GET /webhooks/:id`. */
  readonly routeOf: (id: string) => string;
  readonly fetch: (url: string, init: RequestInit) => Promise<ApiResponse>;
  /** Called when the session has ended. */
  readonly onSignedOut: () => void;
  /** Asks the owner for the password; false if they cancel. */
  readonly confirmPassword: () => Promise<boolean>;
}

type Input = { readonly params?: object; readonly query?: object; readonly body?: unknown };

/**
 * Creates the client of the owners' API. A request that needs the password again is repeated once after it was entered. If the owner
 * cancels, it fails with the code `confirmation_required`. A 401 means that the session has ended, except at sign-in. Responses are
 * typed by the caller and not validated: they come from the service that the page comes from.
 */
export function createApiClient(deps: ApiClientDeps) {
  function pathOf(id: string, { params = {} }: Input): string {
    return Object.entries(params).reduce(
      (path, [name, value]) => path.replace(`:${name}`, encodeURIComponent(String(value))),
      deps.routeOf(id).replace(/^\w+ /, ''),
    );
  }

  async function once(id: string, input: Input, signal?: AbortSignal): Promise<ApiResponse> {
    let response: ApiResponse;
    try {
      response = await deps.fetch(withQuery(`/partner-api${pathOf(id, input)}`, { ...input.query }), {
        method: deps.routeOf(id).replace(/ .*/, ''),
        credentials: 'same-origin',
        ...(input.body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input.body) }),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (cause) {
      // No one waits for it any more. One over its time limit has failed.
      if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
      const code = 'no_response';
      throw new ApiError(errorSentence(id, code), { status: 0, code, cause });
    }
    if (response.ok) return response;
    const error = await errorOfResponse(id, response);
    if (error.status === 401 && id !== 'createSession') deps.onSignedOut();
    throw error;
  }

  async function confirmed(id: string, input: Input, signal?: AbortSignal): Promise<ApiResponse> {
    try {
      return await once(id, input, signal);
    } catch (thrown) {
      const needsPassword = thrown instanceof ApiError && thrown.code === 'confirmation_required';
      if (!needsPassword || !(await deps.confirmPassword())) throw thrown;
      return once(id, input, signal);
    }
  }

  return {
    /** The path of an operation with its parameters, below `/partner-api`. */
    pathOf,
    /** Calls an operation and returns its response: null without a body. Throws an `ApiError` unless it succeeds. */
    async call<Json>(id: string, input: Input, signal?: AbortSignal): Promise<Json> {
      const response = await confirmed(id, input, signal);
      const body: ApiResponse = response.headers.has('content-type') ? response : Response.json(null);
      return body.json<Json>().catch((cause: unknown) => {
        throw unreadable(id, response, cause);
      });
    },
  };
}

type FieldViolation = NonNullable<ErrorBody['details']>[number];

/** A failed request: refused by the API, or without a response. The message is the console's own sentence. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The `code` of the error body; `no_response` and `not_understood` are the app's own. */
  readonly code: string;
  /** The API's text. */
  readonly text: string | undefined;
  /** Identifies the request in the service's logs. */
  readonly requestId: string | undefined;
  /** Violations by field, for a 400. */
  readonly details: readonly FieldViolation[];

  constructor(
    message: string,
    facts: {
      readonly status: number;
      readonly code: string;
      readonly text?: string;
      readonly requestId?: string | undefined;
      readonly details?: readonly FieldViolation[] | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.status = facts.status;
    this.code = facts.code;
    this.text = facts.text;
    this.requestId = facts.requestId;
    this.details = facts.details ?? [];
  }
}

/** What the client reads of a failed response. */
interface FailedResponse extends Pick<Response, 'status' | 'headers'> {
  json(): Promise<unknown>;
}

/** Converts a response of 400 or above to its error. */
async function errorOfResponse(id: string, response: FailedResponse): Promise<ApiError> {
  const body = await response.json().catch(() => undefined);
  if (!isErrorBody(body)) return unreadable(id, response, body);
  const { error, code, requestId, details } = body;
  return new ApiError(sentenceOfError(id, body, response.headers.get('retry-after')), {
    ...{ code, requestId, details },
    text: textForDetails(error),
    status: response.status,
  });
}

/** Whether it is the error of a service, and not a page of a proxy. */
function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' && body !== null && ['error', 'code', 'requestId'].every((name) => name in body)
  );
}

/** The error of a response that is not the JSON of its operation. */
function unreadable(id: string, response: Pick<Response, 'status' | 'headers'>, cause: unknown): ApiError {
  const code = 'not_understood';
  return new ApiError(errorSentence(id, code), {
    status: response.status,
    code,
    requestId: response.headers.get('x-request-id') ?? undefined,
    cause,
  });
}

/** Returns the message to show for any thrown value. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof ApiError ? thrown.message : 'Something went wrong on this page.';
}

/** Returns the violations of an error by field, for a form: `url`, `events.0`, … The field `body.url` is `url`. */
export function violationsByField(thrown: unknown): Readonly<Record<string, string>> {
  if (!(thrown instanceof ApiError)) return {};
  return Object.fromEntries(
    thrown.details.map(({ path, message }) => [path.replace(/^body\./, ''), message]),
  );
}
