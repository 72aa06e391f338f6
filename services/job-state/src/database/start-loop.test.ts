import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '@partner/runtime/logger';
import { startLoop } from './start-loop.js';

const NEVER_MS = 3_600_000;

/** A loop whose runs end as they are told, with a way to wait for the start of the next run. */
function controlled(results: readonly ('more' | 'idle' | 'throws')[], intervalMs: number) {
  let runs = 0;
  let notify: () => void = () => undefined;
  const loop = startLoop({
    name: 'test',
    intervalMs,
    logger: silentLogger,
    runOnce: async () => {
      const result = results[runs] ?? 'idle';
      runs += 1;
      notify();
      await Promise.resolve();
      if (result === 'throws') throw new Error('a run failed');
      return result;
    },
  });
  return {
    loop,
    runs: () => runs,
    async ranTimes(count: number): Promise<void> {
      while (runs < count) {
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
      }
    },
  };
}

describe('a loop', () => {
  test('runs again at once while there is more, then rests', async () => {
    const { loop, ranTimes, runs } = controlled(['more', 'more', 'idle'], NEVER_MS);
    await ranTimes(3);
    await loop.stop();
    expect(runs()).toBe(3);
  });

  test('runs when woken, also when it was woken during a run', async () => {
    const { loop, ranTimes } = controlled([], NEVER_MS);
    loop.wake();
    await ranTimes(2);
    loop.wake();
    await ranTimes(3);
    await loop.stop();
  });

  test('goes on after a run that failed', async () => {
    const { loop, ranTimes } = controlled(['throws', 'throws'], 1);
    await ranTimes(3);
    await loop.stop();
  });

  test('does not run once stopped', async () => {
    const { loop, ranTimes, runs } = controlled([], 1);
    await ranTimes(1);
    await loop.stop();
    const before = runs();
    loop.wake();
    await Promise.resolve();
    expect(runs()).toBe(before);
  });
});
