import type { Client } from '@connectrpc/connect';
import type { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { invalidArgument } from '@partner/kernel/process/validation';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import { createShareGate } from '@partner/kernel/process/share-gate';
import type { CallContext } from '@partner/kernel/amqp/implement';

/** Part of the caller's deadline that is reserved for the database after the URL check. */
const DATABASE_RESERVE_MS = 500;

/** URL checks in flight; each is a DNS lookup of up to some seconds. */
const CHECKS = 40;
const QUEUED_CHECKS = 80;

/** Returns the dispatcher as one company may use it: with its share of the URL checks of this process. */
export function shareEndpoints(
  endpoints: Client<typeof EndpointService>,
): (companyId: string) => Client<typeof EndpointService> {
  const gate = createShareGate({ slots: CHECKS, queue: QUEUED_CHECKS, work: 'URL checks' });
  return (companyId) => ({
    checkEndpoint: (request, options = {}) => {
      const { timeoutMs = Number.POSITIVE_INFINITY } = options;
      const end = performance.now() + timeoutMs;
      return gate.run(companyId, { timeoutMs }, () => {
        const leftMs = end - performance.now();
        return endpoints.checkEndpoint(request, {
          ...options,
          ...(leftMs < timeoutMs && { timeoutMs: leftMs }),
        });
      });
    },
  });
}

/** The caller's deadline. */
export type Caller = Pick<CallContext, 'timeoutMs'>;

/**
 * Checks with the dispatcher that deliveries may go to a URL, and returns its normalised form (spec: Subscription URL rules).
 *
 * Fails with `invalid_argument` (`url`) and the dispatcher's message if they may not. Fails with `unavailable` if the
 * dispatcher does not respond before the caller's deadline, or the deadline has passed.
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
  const limits = leftMs === undefined ? {} : { timeoutMs: leftMs - DATABASE_RESERVE_MS };
  const verdict = await endpoints.checkEndpoint({ url }, limits).catch((cause: unknown) => {
    throw unavailable('the endpoint URL cannot be checked now', cause);
  });
  if (verdict.allowed !== true) return { refusal: verdict.refusal ?? 'is refused' };
  const { normalizedUrl } = verdict;
  invariant(normalizedUrl, 'an allowed URL is normalised');
  return { normalizedUrl };
}

/** Throws `unavailable` after the caller's deadline. */
export function refuseWhenOverdue(caller: Caller): void {
  if ((caller.timeoutMs() ?? 1) <= 0) throw unavailable('it took too long');
}

function unavailable(what: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', `${what}; nothing was created or changed`, {
    retryAfterSeconds: 1,
    cause,
  });
}
