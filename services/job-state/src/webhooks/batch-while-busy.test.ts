import { describe, expect, test } from '@jest/globals';
import { batchWhileBusy } from './batch-while-busy.js';

/** A batch function whose runs end when the test says so. */
function controlled(maxItems: number) {
  const runs: { items: readonly number[]; end: () => void; fail: (cause: Error) => void }[] = [];
  const add = batchWhileBusy<number>({
    maxItems,
    run: (items) =>
      new Promise<void>((resolve, reject) => {
        runs.push({ items, end: resolve, fail: reject });
      }),
  });
  return { add, runs };
}

describe('batchWhileBusy', () => {
  test('runs the first item at once and what comes meanwhile together', async () => {
    const { add, runs } = controlled(10);
    const first = add(1);
    const others = [add(2), add(3)];
    expect(runs.map(({ items }) => items)).toEqual([[1]]);
    runs[0]?.end();
    await first;
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    runs[1]?.end();
    await Promise.all(others);
  });

  test('keeps to the size of a batch', async () => {
    const { add, runs } = controlled(2);
    const all = [1, 2, 3, 4].map(add);
    for (let run = 0; run < 3; run += 1) {
      runs[run]?.end();
      await all[[0, 2, 3][run] ?? 0];
    }
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
  });

  test('fails those whose batch failed, and only those', async () => {
    const { add, runs } = controlled(10);
    const first = add(1);
    const second = add(2);
    runs[0]?.fail(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    runs[1]?.end();
    await expect(second).resolves.toBeUndefined();
  });

  test('goes on after it has been idle', async () => {
    const { add, runs } = controlled(10);
    const first = add(1);
    runs[0]?.end();
    await first;
    const second = add(2);
    runs[1]?.end();
    await second;
    expect(runs).toHaveLength(2);
  });
});
