/** Longer than a broker under load needs for a confirm. */
export const CONFIRM_LIMIT_MS = 3_000;
/** Minimum time between the first and the second look that find confirms missing. */
const SECOND_LOOK_MS = 500;

/**
 * Watches the confirms of one channel.
 *
 * `elapsedMs` returns monotonic milliseconds.
 */
export function createConfirmWatch(elapsedMs: () => number) {
  let unconfirmed = 0;
  /** Time of the latest confirm, or of the first request without one. */
  let waitingSince = 0;
  /** When a call first found that confirms are missing; undefined after a confirm. */
  let missedAt: number | undefined;
  return {
    sent(): void {
      if (unconfirmed === 0) waitingSince = elapsedMs();
      unconfirmed += 1;
    },
    confirmed(): void {
      unconfirmed -= 1;
      waitingSince = elapsedMs();
      missedAt = undefined;
    },
    /**
     * Whether the broker confirms nothing: the channel was opened while a silent node had the queue's leader.
     *
     * Confirms may also be missing because this process stood still or the broker was blocked. Then they arrive soon after,
     * before they are found missing a second time.
     */
    areMissing(): boolean {
      const now = elapsedMs();
      if (unconfirmed === 0 || now - waitingSince <= CONFIRM_LIMIT_MS) return false;
      missedAt ??= now;
      return now - missedAt > SECOND_LOOK_MS;
    },
  };
}
