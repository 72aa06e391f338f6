import { type After, afterMs } from '@partner/kernel/timers';

/** A time limit of one piece of work. */
export interface Deadline {
  hasPassed(): boolean;
  /** Calls back at the end of the time, instead of what was given before. */
  whenPassed(callback: () => void): void;
  /** Calls nothing back any more until {@link Deadline.whenPassed} is used again. */
  ignore(): void;
  /** What the work resolves to, or undefined when the time ends first. Rejects as the work does. */
  unlessPassed<T>(work: Promise<T>): Promise<T | undefined>;
  /** Frees the timer. */
  stop(): void;
}

/** Starts a time limit. One at a time waits for it, which makes it much cheaper than an abort signal. */
export function startDeadline(limitMs: number, after: After = afterMs): Deadline {
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
