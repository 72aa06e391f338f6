import { withQuery } from '../paths.js';
import { ApiError, errorOfResponse, unreadable } from './api-error.js';

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
      if (signal?.aborted === true) throw cause;
      throw new ApiError('The service cannot be reached. Check your connection, then retry.', {
        status: 0,
        code: 'no_response',
        cause,
      });
    }
    if (response.ok) return response;
    const error = await errorOfResponse(response);
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
        throw unreadable(response, cause);
      });
    },
  };
}
