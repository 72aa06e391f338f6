import type { After } from '@partner/kernel/process/timers';

export type Deadline = ReturnType<typeof startDeadline>;

/** Starts a time limit. It has one callback at a time, which makes it much cheaper than an abort signal. */
export function startDeadline(limitMs: number, after: After) {
  let passed = false;
  let waiting: (() => void) | undefined;
  const stop = after(limitMs, () => {
    passed = true;
    waiting?.();
  });

  return {
    hasPassed: () => passed,
    /** Sets the callback that runs when the time limit passes; replaces the previous one. */
    whenPassed(callback: () => void): void {
      waiting = callback;
    },
    /** Removes the callback, until `whenPassed` sets another. */
    ignore(): void {
      waiting = undefined;
    },
    /** Resolves to the result of the work, or to undefined if the time limit passes first. Rejects as the work does. */
    unlessPassed<T>(work: Promise<T>): Promise<T | undefined> {
      return new Promise((resolve, reject) => {
        waiting = () => resolve(undefined);
        work.then(resolve, reject);
      });
    },
    stop,
  };
}
