import type { After } from '../timers.js';

/** Timers that only a test moves on. */
export interface ManualTimers {
  readonly after: After;
  /** Lets so many milliseconds pass and does what is due by then, in the order of its times. */
  pass(milliseconds: number): void;
  /** How many wait for their time. */
  waiting(): number;
}

/** Makes timers that stand still. */
export function createManualTimers(): ManualTimers {
  const timers = new Set<{ readonly at: number; readonly then: () => void }>();
  let now = 0;

  return {
    after(milliseconds, then) {
      const timer = { at: now + milliseconds, then };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.then();
      }
      now = end;
    },
    waiting: () => timers.size,
  };
}
