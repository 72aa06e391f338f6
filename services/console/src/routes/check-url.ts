import { LIMITS } from '@partner/proto-contracts/api/limits';
import { checkUrlOperation } from '@partner/proto-contracts/resources/url-check/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { OwnerSession } from '../sessions/session-store.js';
import { counted } from '@partner/proto-contracts/api/counted';

/**
 * `POST /partner-api/url-checks`: returns whether a subscription can have a URL. Checks are rate-limited per
 * session: each one causes a DNS lookup.
 */
export function checkUrl(deps: {
  readonly forwarding: Forwarding<OwnerSession>;
  readonly limiter: Pick<RateLimiter, 'take'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(checkUrlOperation, async (request) => {
    const { accepted, retryAfterSeconds } = await deps.limiter.take(
      `url-checks:${request.principal.id}`,
      LIMITS.urlChecksPerMinute,
    );
    if (!accepted) {
      throw new ServiceError(
        'rate_limited',
        `at most ${LIMITS.urlChecksPerMinute} URLs can be checked in 60 seconds; retry after ${counted(retryAfterSeconds, 'second')}`,
        { retryAfterSeconds },
      );
    }
    return responseTo(checkUrlOperation, request, await callFor(checkUrlOperation, request, deps.forwarding));
  });
}
