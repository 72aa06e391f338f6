import { inSeconds, type RateLimiter } from '../limits/rate-limiter.js';
import { createSlidingWindow, type SlidingWindow } from '../limits/sliding-window.js';

/** Rate limiter that counts in this process, for tests of surfaces. */
export function createInMemoryRateLimiter(clock: () => Date): RateLimiter {
  const windows = new Map<string, SlidingWindow>();

  return {
    async take(key, limit) {
      const window = windows.get(key) ?? createSlidingWindow();
      windows.set(key, window);
      return inSeconds(limit, window.take(clock().getTime(), limit));
    },
  };
}
