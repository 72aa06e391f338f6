import { inSeconds, type RateLimiter, type RateLimitVerdict } from '../http/rate-limiter.js';
import { createSlidingWindow, type SlidingWindow } from '../http/sliding-window.js';

/** A limiter that counts in this process, for tests of surfaces. */
export function createInMemoryRateLimiter(clock: () => Date): RateLimiter {
  const windows = new Map<string, SlidingWindow>();

  async function decide(move: 'take' | 'ask', key: string, limit: number): Promise<RateLimitVerdict> {
    const window = windows.get(key) ?? createSlidingWindow();
    windows.set(key, window);
    return inSeconds(limit, window[move](clock().getTime(), limit));
  }

  return {
    take: (key, limit) => decide('take', key, limit),
    ask: (key, limit) => decide('ask', key, limit),
  };
}
