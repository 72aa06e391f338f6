import type { Client, HandlerContext } from '@connectrpc/connect';
import type { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { invalidArgument } from '@partner/runtime/http/validation';
import { invariant } from '@partner/runtime/invariant';
import { ServiceError } from '@partner/runtime/service-error';

/** Of the time that the caller waits, what is kept for the database after the question about the URL. */
const KEPT_FOR_DATABASE_MS = 500;

/** For how long the caller still waits. */
export type Caller = Pick<HandlerContext, 'timeoutMs' | 'signal'>;

/**
 * Asks the dispatcher whether deliveries may go to a URL (spec: Subscription URL rules) and gives the URL's normalised form.
 * Fails with `invalid_argument` (`url`) and the dispatcher's words when they may not, and with `unavailable` when the
 * dispatcher does not answer in the time that the caller waits, or the caller waits no longer.
 */
export async function checkEndpoint(
  endpoints: Client<typeof EndpointService>,
  url: string,
  caller: Caller,
): Promise<string> {
  const leftMs = caller.timeoutMs();
  const limits = {
    signal: caller.signal,
    ...(leftMs !== undefined && { timeoutMs: leftMs - KEPT_FOR_DATABASE_MS }),
  };
  const verdict = await endpoints.checkEndpoint({ url }, limits).catch((cause: unknown) => {
    throw unavailable('the endpoint URL can not be checked now', cause);
  });
  if (verdict.allowed !== true) {
    throw invalidArgument([{ path: 'url', message: verdict.refusal ?? 'is refused' }]);
  }
  refuseWhenOverdue(caller);
  invariant(verdict.normalizedUrl, 'an allowed URL comes normalised');
  return verdict.normalizedUrl;
}

/** Throws `unavailable` for a caller who waits no longer. */
export function refuseWhenOverdue(caller: Caller): void {
  if ((caller.timeoutMs() ?? 1) <= 0) throw unavailable('it took too long');
}

function unavailable(what: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', `${what}; nothing was created or changed`, {
    retryAfterSeconds: 1,
    cause,
  });
}
