const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const STEADY_AFTER_MS = 10_000;

/**
 * Backoff between attempts to reopen a connection or channel: 100 ms, doubling to 5 s, minus a random fifth at most.
 */
export interface Backoff {
  /** Returns the delay before the next attempt, in ms. */
  nextDelayMs(): number;
  /**
   * Reports how long the connection or channel was open. Only after 10 s does the backoff restart at 100 ms, so that
   * one that opens and fails at once causes no hot loop.
   */
  lived(milliseconds: number): void;
}

/** Creates the backoff of one connection or channel. `random` returns numbers from 0 to below 1. */
export function createBackoff(random: () => number): Backoff {
  let attempt = 0;
  return {
    nextDelayMs() {
      const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
      attempt = Math.min(attempt + 1, 10);
      return Math.round(delay * (1 - 0.2 * random()));
    },
    lived(milliseconds) {
      if (milliseconds >= STEADY_AFTER_MS) attempt = 0;
    },
  };
}
