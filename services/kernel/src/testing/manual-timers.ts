import type { After } from '../process/timers.js';

export type ManualTimers = ReturnType<typeof createManualTimers>;

/** Creates timers that only `pass` advances. */
export function createManualTimers() {
  const timers = new Set<{ readonly at: number; readonly then: () => void }>();
  let now = 0;

  const after: After = (milliseconds, then) => {
    const timer = { at: now + milliseconds, then };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  return {
    after,
    /** Advances the time and runs the callbacks that are due, in order of their times. */
    pass(milliseconds: number) {
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
