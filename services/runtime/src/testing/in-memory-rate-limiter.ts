import type { RateLimiter, RateLimitVerdict } from '../http/rate-limiter.js';
import { createSlidingWindow, type SlidingWindow } from '../http/sliding-window.js';

/** A limiter that counts in this process, for tests of surfaces. */
export function createInMemoryRateLimiter(clock: () => Date): RateLimiter {
  const windows = new Map<string, SlidingWindow>();

  async function decide(move: 'take' | 'ask', key: string, limit: number): Promise<RateLimitVerdict> {
    const window = windows.get(key) ?? createSlidingWindow();
    windows.set(key, window);
    const { accepted, remaining, resetMs, waitMs } = window[move](clock().getTime(), limit);
    return {
      accepted,
      limit,
      remaining,
      resetSeconds: Math.ceil(resetMs / 1_000),
      retryAfterSeconds: accepted ? 0 : Math.max(1, Math.ceil(waitMs / 1_000)),
    };
  }

  return {
    take: (key, limit) => decide('take', key, limit),
    ask: (key, limit) => decide('ask', key, limit),
  };
}
