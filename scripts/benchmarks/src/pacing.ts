import { setTimeout as delay } from 'node:timers/promises';

/** Runs work a number of times at an even rate per second. Each run waits for the previous one. */
export async function steadily(
  times: number,
  perSecond: number,
  signal: AbortSignal,
  act: (turn: number) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  for (let turn = 0; turn < times; turn += 1) {
    signal.throwIfAborted();
    await act(turn);
    await pause(startedAt + ((turn + 1) * 1_000) / perSecond - performance.now());
  }
}

/** Resolves after a number of milliseconds. */
export const pause = (milliseconds: number): Promise<void> => delay(Math.max(0, milliseconds));
