import type { Client, HandlerContext } from '@connectrpc/connect';
import type { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { invalidArgument } from '@partner/kernel/validation';
import { invariant } from '@partner/kernel/invariant';
import { ServiceError } from '@partner/kernel/service-error';

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
  const verdict = await judgeEndpoint(endpoints, url, caller);
  if ('refusal' in verdict) throw invalidArgument([{ path: 'url', message: verdict.refusal }]);
  refuseWhenOverdue(caller);
  return verdict.normalizedUrl;
}

/** The dispatcher's verdict on a URL. Fails with `unavailable` as {@link checkEndpoint} does. */
export async function judgeEndpoint(
  endpoints: Client<typeof EndpointService>,
  url: string,
  caller: Caller,
): Promise<{ readonly normalizedUrl: string } | { readonly refusal: string }> {
  const leftMs = caller.timeoutMs();
  const limits = {
    signal: caller.signal,
    ...(leftMs !== undefined && { timeoutMs: leftMs - KEPT_FOR_DATABASE_MS }),
  };
  const verdict = await endpoints.checkEndpoint({ url }, limits).catch((cause: unknown) => {
    throw unavailable('the endpoint URL can not be checked now', cause);
  });
  if (verdict.allowed !== true) return { refusal: verdict.refusal ?? 'is refused' };
  const { normalizedUrl } = verdict;
  invariant(normalizedUrl, 'an allowed URL comes normalised');
  return { normalizedUrl };
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
