import { requestLimitReached } from '@partner/proto-contracts/api/refusals';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimiter, RateLimitVerdict } from './rate-limiter.js';
import { SPAN_MS } from './sliding-window.js';

/** Marks a request of a program that listens to events for a developer. */
const LISTEN_HEADER = 'x-svc-listen';

/**
 * Counts a request towards the limit of its caller, sets the rate limit headers and returns the verdict. Throws `rate_limited` beyond
 * the limit.
 *
 * Requests with `x-svc-listen` are also counted together, before: they have a third of the limit, so that the caller's own programs
 * keep the rest. One beyond that third does not count towards the limit.
 */
export async function countRequest(
  request: IncomingMessage,
  response: ServerResponse,
  counted: {
    readonly limiter: RateLimiter;
    readonly key: string;
    readonly limit: number;
    readonly countedAs: string;
  },
): Promise<RateLimitVerdict> {
  const { limiter, key, limit, countedAs } = counted;
  const take = async (policy: 'default' | 'listen', name: string, most: number, words: string) => {
    const verdict = await limiter.take(name, most);
    setRateLimitHeaders(response, { policy, limit: most, verdict });
    if (verdict.accepted) return verdict;
    const { retryAfterSeconds } = verdict;
    const message = requestLimitReached(most, words, retryAfterSeconds);
    throw new ServiceError('rate_limited', message, { retryAfterSeconds });
  };
  if (request.headers[LISTEN_HEADER] !== undefined)
    // The name begins like that of the caller, so that the users of Redis reach it.
    await take('listen', `${key}:listen`, Math.max(1, Math.floor(limit / 3)), `with ${LISTEN_HEADER}`);
  return take('default', key, limit, countedAs);
}

const WINDOW_SECONDS = SPAN_MS / 1_000;

export function setRateLimitHeaders(
  response: ServerResponse,
  counted: {
    readonly policy: 'default' | 'failed-authentication' | 'without-credentials' | 'listen';
    readonly limit: number;
    readonly verdict: RateLimitVerdict;
  },
): void {
  const { policy, limit, verdict } = counted;
  response.setHeader('RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_SECONDS}`);
  // A bucket of the count can leave up to 20 ms after the span.
  const seconds = Math.min(WINDOW_SECONDS, verdict.resetSeconds);
  response.setHeader('RateLimit', `"${policy}";r=${verdict.remaining};t=${seconds}`);
}
