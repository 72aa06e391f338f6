import type { RateLimiter } from '../http/rate-limiter.js';
import { createSlidingWindow, type SlidingWindow } from '../http/sliding-window.js';

/** A limiter that counts in this process, for tests of surfaces. */
export function createInMemoryRateLimiter(clock: () => Date): RateLimiter {
  const windows = new Map<string, SlidingWindow>();
  return {
    async take(key, limit) {
      const window = windows.get(key) ?? createSlidingWindow();
      windows.set(key, window);
      const { accepted, remaining, resetMs, waitMs } = window.take(clock().getTime(), limit);
      return {
        accepted,
        limit,
        remaining,
        resetSeconds: Math.ceil(resetMs / 1_000),
        retryAfterSeconds: accepted ? 0 : Math.max(1, Math.ceil(waitMs / 1_000)),
      };
    },
  };
}
