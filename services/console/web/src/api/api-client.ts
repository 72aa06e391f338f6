import type { z } from 'zod';
import { withQuery } from '../paths.js';
import { ApiError, errorOfResponse } from './api-error.js';

/** One request to the owners' API. */
interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/partner-api`, e.g. `/webhooks`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** Client of the owners' API. Both methods throw an `ApiError` unless the request succeeds. */
export interface ApiClient {
  /** Sends a request and parses its response with the schema. */
  read<Schema extends z.ZodType>(schema: Schema, request: ApiRequest): Promise<z.output<Schema>>;
  /** Sends a request whose response is ignored. */
  send(request: ApiRequest): Promise<void>;
}

/** Dependencies of the client. */
export interface ApiClientDeps {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Called when the session has ended. */
  readonly onSignedOut: () => void;
  /** Asks the owner for the password; false if they cancel. */
  readonly confirmPassword: () => Promise<boolean>;
}

/**
 * Creates the client of the owners' API. A request that needs the password again is repeated once after it was entered. If the owner
 * cancels, it fails with the code `confirmation_required`. A 401 means that the session has ended, except at sign-in.
 */
export function createApiClient(deps: ApiClientDeps): ApiClient {
  async function once(request: ApiRequest): Promise<Response> {
    const { method = 'GET', path, query = {}, body, signal } = request;
    const url = withQuery(`/partner-api${path}`, query);
    let response: Response;
    try {
      response = await deps.fetch(url, {
        method,
        credentials: 'same-origin',
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
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
    const isSignIn = method === 'POST' && path === '/session';
    if (error.status === 401 && !isSignIn) deps.onSignedOut();
    throw error;
  }

  async function send(request: ApiRequest): Promise<Response> {
    try {
      return await once(request);
    } catch (thrown) {
      const needsPassword = thrown instanceof ApiError && thrown.code === 'confirmation_required';
      if (!needsPassword || !(await deps.confirmPassword())) throw thrown;
      return once(request);
    }
  }

  return {
    async read(schema, request) {
      const response = await send(request);
      const json: unknown = await response.json().catch(() => undefined);
      const parsed = schema.safeParse(json);
      if (parsed.success) return parsed.data;
      throw new ApiError('The service sent a response that this page cannot read. Reload the page.', {
        status: response.status,
        code: 'not_understood',
        requestId: response.headers.get('x-request-id') ?? undefined,
        cause: parsed.error,
      });
    },
    async send(request) {
      await send(request);
    },
  };
}
