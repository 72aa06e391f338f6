import { eventually } from '@partner/test-kit/eventually';
import { UndescribedResponseError } from '../support/http-call.js';
import { type OwnerSession, signIn } from '../support/owner-session.js';
import type { RequestedChange } from './delivery-history.js';

/** How long an owner keeps trying, in milliseconds: longer than several faults in a row can keep the service away. */
const TIMEOUT_MS = 240_000;
const BETWEEN_TRIES_MS = 200;

/** The result of work, with when it was begun and when it was there. */
export async function timed<Result>(
  work: () => Promise<Result>,
): Promise<RequestedChange & { readonly result: Result }> {
  const sentAt = Date.now();
  const result = await work();
  return { result, sentAt, respondedAt: Date.now() };
}

/**
 * A session of an owner who retries for as long as it takes, and signs in again when the session is lost. Each request must bear
 * being done twice.
 */
export function patientOwner(
  baseUrl: string,
  owner: { readonly email: string; readonly password: string },
): Pick<OwnerSession, 'call'> {
  let session: Promise<OwnerSession> | undefined;
  return {
    async call(method, path, body) {
      let last = '';
      return eventually(
        () => `a response to ${method} ${path}; the last: ${last}`,
        async () => {
          session ??= signIn(baseUrl, owner);
          try {
            const response = await (await session).call(method, path, body);
            last = `${response.status} ${response.text}`;
            if (response.status !== 401) return response.status !== 429 && response.status < 500 && response;
          } catch (error) {
            if (error instanceof UndescribedResponseError) throw error;
            last = String(error);
          }
          session = undefined;
          return undefined;
        },
        { timeoutMs: TIMEOUT_MS, everyMs: BETWEEN_TRIES_MS },
      );
    },
  };
}
