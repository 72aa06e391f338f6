import { eventually } from '@partner/test-kit/eventually';
import type { HttpResponse, Call } from '@partner/test-kit/http-call';
import { callUntilResponse, UndescribedResponseError } from '../support/http-call.js';
import { type OwnerSession, signIn } from '../support/owner-session.js';
import type { RequestedChange } from './delivery-history.js';

/** How long a client keeps trying, in milliseconds: longer than several faults in a row can keep the service away. */
const TIMEOUT_MS = 240_000;
const BETWEEN_TRIES_MS = 200;

/** A response with when it was first asked for and when it came. */
export interface TimedResponse extends RequestedChange {
  readonly response: HttpResponse;
}

/** Sends a write with its idempotency key until its response is certain, however long the service is away. */
export function writePatiently(baseUrl: string, path: string, options: Call): Promise<TimedResponse> {
  return timed(() => callUntilResponse(baseUrl, path, options));
}

/**
 * A session of an owner who retries for as long as it takes, and signs in again when the session is lost. A request
 * for must bear being done twice.
 */
export function patientOwner(
  baseUrl: string,
  owner: { readonly email: string; readonly password: string },
): { call(method: string, path: string, body?: unknown): Promise<TimedResponse> } {
  let session: Promise<OwnerSession> | undefined;
  return {
    call: (method, path, body) =>
      timed(async () => {
        session ??= signIn(baseUrl, owner);
        let response: HttpResponse;
        try {
          response = await (await session).call(method, path, body);
        } catch (error) {
          session = undefined;
          throw error;
        }
        if (response.status === 401) session = undefined;
        if (response.status === 401 || response.status === 429 || response.status >= 500) {
          throw new Error(`${response.status} ${response.text}`);
        }
        return response;
      }),
  };
}

async function timed(send: () => Promise<HttpResponse>): Promise<TimedResponse> {
  const sentAt = Date.now();
  let last: unknown;
  return eventually(
    () => `a response; the last: ${String(last)}`,
    async () => {
      try {
        return { response: await send(), sentAt, respondedAt: Date.now() };
      } catch (error) {
        if (error instanceof UndescribedResponseError) throw error;
        last = error;
        return undefined;
      }
    },
    { timeoutMs: TIMEOUT_MS, everyMs: BETWEEN_TRIES_MS },
  );
}
