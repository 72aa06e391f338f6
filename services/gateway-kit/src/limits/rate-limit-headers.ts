import type { ServerResponse } from 'node:http';
import type { RateLimitVerdict } from './rate-limiter.js';
import { SPAN_MS } from './sliding-window.js';

/** The span of every rate limit. */
const WINDOW_SECONDS = SPAN_MS / 1_000;

/** Sets `RateLimit-Policy` and `RateLimit` to the verdict of the policy that counted the request. */
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
