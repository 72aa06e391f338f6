const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const STEADY_AFTER_MS = 10_000;

/** The pauses between attempts to open something again: 100 ms, doubling to 5 s, up to a fifth of it taken off at random. */
export interface Backoff {
  /** How long to wait before the next attempt, in milliseconds. */
  nextDelayMs(): number;
  /**
   * Tells how long what was opened has lived. Only after 10 s does the next pause begin anew at 100 ms, so that what opens
   * and fails at once makes no hot loop.
   */
  lived(milliseconds: number): void;
}

/** Makes the pauses of one connection or channel. */
export function createBackoff(random: () => number = Math.random): Backoff {
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
