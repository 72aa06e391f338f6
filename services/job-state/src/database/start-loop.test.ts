import { describe, expect, test } from '@jest/globals';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { startLoop } from './start-loop.js';

const NEVER_MS = 3_600_000;

/** A loop whose runs end as instructed, with a way to wait for the start of the next run. */
function controlled(results: readonly ('more' | 'idle' | 'throws')[], intervalMs: number) {
  let runs = 0;
  const said: string[] = [];
  const say = (_fields: unknown, text = '') => said.push(text);
  let notify: () => void = () => undefined;
  const metrics = new Registry();
  const loop = startLoop({
    name: 'test',
    intervalMs,
    failurePauseMs: 1,
    metrics,
    logger: { info: say, warn: say },
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
    metrics,
    said,
    runs: () => runs,
    async ranTimes(count: number): Promise<void> {
      while (runs < count) await new Promise<void>((resolve) => (notify = resolve));
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

  test('runs when woken, also if it was woken during a run', async () => {
    const { loop, ranTimes, runs } = controlled([], NEVER_MS);
    loop.wake();
    await ranTimes(2);
    loop.wake();
    await ranTimes(3);
    await loop.stop();
    expect(runs()).toBe(3);
  });

  test('continues after failed runs, and logs the first failure and the recovery once', async () => {
    const { loop, ranTimes, said } = controlled(['throws', 'throws', 'throws', 'more', 'more'], NEVER_MS);
    await ranTimes(6);
    await loop.stop();
    expect(said).toEqual(['test.failing', 'test.resumed']);
  });

  test('reports when it last succeeded, and how often it failed', async () => {
    const always = Array.from({ length: 10_000 }, () => 'throws' as const);
    const failing = controlled(always, NEVER_MS);
    await failing.ranTimes(2);
    await failing.loop.stop();
    const failed = await failing.metrics.metrics();
    expect(failed).toContain(`partner_loop_failures_total{loop="test"} ${failing.runs()}\n`);
    expect(failed).toContain('partner_loop_last_success_timestamp_seconds{loop="test"} 0\n');

    const working = controlled([], NEVER_MS);
    await working.ranTimes(1);
    await working.loop.stop();
    const worked = await working.metrics.metrics();
    expect(worked).toMatch(/partner_loop_last_success_timestamp_seconds\{loop="test"\} \d{10}/);
    expect(worked).toContain('partner_loop_failures_total{loop="test"} 0\n');
  });

  test('rests after an idle run, however often it is woken for later, until it is woken', async () => {
    const ran = createRecorder<number>();
    let runs = 0;
    const loop = startLoop({
      name: 'test',
      metrics: new Registry(),
      intervalMs: 1,
      restMs: NEVER_MS,
      logger: { info: () => undefined, warn: () => undefined },
      runOnce: () => {
        runs += 1;
        ran.record(runs);
        return Promise.resolve(runs === 1 ? 'more' : 'idle');
      },
    });
    await ran.atLeast(2);
    for (let wake = 0; wake < 20; wake += 1) {
      loop.wakeLater();
      await new Promise(setImmediate);
    }
    expect(runs).toBe(2);
    loop.wake();
    expect(await ran.atLeast(3)).toEqual([1, 2, 3]);
    await loop.stop();
  });
});
