import { LRUCache } from 'lru-cache';
import type { ServerResponse } from 'node:http';
import { invariant } from '@partner/kernel/process/invariant';
import { counted } from '@partner/proto-contracts/api/counted';
import { ServiceError } from '@partner/kernel/process/service-error';
import { clientNetwork } from '../auth/client-address.js';
import type { AnyEndpoint } from './endpoint.js';
import type { AuthenticationRequest, SurfaceRequest } from '../auth/surface-request.js';
import { setRateLimitHeaders } from '../limits/count-request.js';
import type { RateLimiter } from '../limits/rate-limiter.js';

const OVER_LIMIT_NETWORKS = 10_000;

/** Limits of clients without credentials, in any 60 seconds. */
export interface StrangerLimitOptions {
  readonly failedAuthentication: { readonly limiter: RateLimiter; readonly limitPerMinute: number };
  readonly withoutCredentials?:
    | {
        readonly limiter: RateLimiter;
        readonly limitPerMinute: number;
        /** Key of a client that its network cannot hinder, such as a browser in which an owner has signed in. */
        readonly knownClientOf: (request: SurfaceRequest) => string | undefined;
      }
    | undefined;
}

/** Limits of clients without credentials, applied before a body is read. */
export interface StrangerLimits {
  /**
   * Counts a request to an operation that needs no credentials, and returns the key of its client. A request without a body costs no
   * more than the count, so it is not counted unless its operation says so. Throws `rate_limited`.
   */
  admit(
    request: SurfaceRequest,
    endpoint: Pick<AnyEndpoint<unknown>, 'body' | 'isCounted'>,
    response: ServerResponse,
  ): Promise<string>;
  /** Authenticates a request. Counts a refusal against the client's network; over that limit it fails with 429 instead of 401 or 403. */
  authenticate<Principal>(
    request: Omit<AuthenticationRequest, 'isOverFailureLimit'>,
    authenticate: (request: AuthenticationRequest) => Promise<Principal>,
    response: ServerResponse,
  ): Promise<Principal>;
}

export function createStrangerLimits(options: StrangerLimitOptions): StrangerLimits {
  const { failedAuthentication, withoutCredentials } = options;
  /** Client networks over their failure limit. An entry expires when one more failure fits. */
  const overFailureLimit = new LRUCache<string, true>({ max: OVER_LIMIT_NETWORKS });

  return {
    async admit(request, endpoint, response) {
      const network = clientNetwork(request.remoteAddress);
      if (endpoint.body === undefined && endpoint.isCounted !== true) return network;
      invariant(withoutCredentials, 'a surface with such operations limits them');
      const { limiter, limitPerMinute: limit, knownClientOf } = withoutCredentials;
      const known = knownClientOf(request);
      const client = known ?? network;
      const caller = known === undefined ? 'stranger' : 'known';
      const verdict = await limiter.take(`without-credentials:${client}`, limit, caller);
      if (verdict.accepted) return client;
      setRateLimitHeaders(response, { policy: 'without-credentials', limit, verdict });
      const { retryAfterSeconds } = verdict;
      throw new ServiceError(
        'rate_limited',
        `too many requests without a session from this address: the limit is ${limit} a minute; retry after ${counted(retryAfterSeconds, 'second')}`,
        { retryAfterSeconds },
      );
    },

    async authenticate(request, authenticate, response) {
      const { limiter, limitPerMinute: limit } = failedAuthentication;
      const network = clientNetwork(request.remoteAddress);
      try {
        return await authenticate({ ...request, isOverFailureLimit: overFailureLimit.has(network) });
      } catch (thrown) {
        const error = ServiceError.from(thrown);
        if (error.reason !== 'unauthenticated' && error.reason !== 'permission_denied') throw error;
        const verdict = await limiter.take(`failed-authentication:${network}`, limit, 'stranger');
        setRateLimitHeaders(response, { policy: 'failed-authentication', limit, verdict });
        if (verdict.accepted) throw error;
        const { retryAfterSeconds } = verdict;
        overFailureLimit.set(network, true, { ttl: retryAfterSeconds * 1_000 });
        throw new ServiceError(
          'rate_limited',
          `too many failed authentications from this address: the limit is ${limit} a minute; retry after ${counted(retryAfterSeconds, 'second')}`,
          { retryAfterSeconds },
        );
      }
    },
  };
}
