import type { After } from '@partner/kernel/process/timers';

/** Time limit of one piece of work. */
export interface Deadline {
  hasPassed(): boolean;
  /** Sets the callback that runs when the time limit passes; replaces the previous one. */
  whenPassed(callback: () => void): void;
  /** Removes the callback, until {@link Deadline.whenPassed} sets another. */
  ignore(): void;
  /** Resolves to the result of the work, or to undefined if the time limit passes first. Rejects as the work does. */
  unlessPassed<T>(work: Promise<T>): Promise<T | undefined>;
  stop(): void;
}

/** Starts a time limit. It has one callback at a time, which makes it much cheaper than an abort signal. */
export function startDeadline(limitMs: number, after: After): Deadline {
  let passed = false;
  let waiting: (() => void) | undefined;
  const stop = after(limitMs, () => {
    passed = true;
    waiting?.();
  });

  return {
    hasPassed: () => passed,
    whenPassed(callback) {
      waiting = callback;
    },
    ignore() {
      waiting = undefined;
    },
    unlessPassed(work) {
      return new Promise((resolve, reject) => {
        waiting = () => resolve(undefined);
        work.then(resolve, reject);
      });
    },
    stop,
  };
}
