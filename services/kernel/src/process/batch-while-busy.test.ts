import { describe, expect, test } from '@jest/globals';
import { currentRequestId, runWithRequestId } from '../telemetry/request-context.js';
import { batchWhileBusy } from './batch-while-busy.js';

/** A batch function that only records its batches. */
function recording<Item>(
  options: Partial<Parameters<typeof batchWhileBusy<Item>>[0]> = {},
  resultsOf = (items: readonly Item[]) => items.map(() => undefined),
) {
  const batches: (readonly Item[])[] = [];
  const add = batchWhileBusy<Item>({
    maxItems: 10,
    run: async (items) => {
      batches.push(items);
      return resultsOf(items);
    },
    isOfAll: () => true,
    ...options,
  });
  return { add, batches };
}

/** A batch function whose runs finish when the test says so. */
function controlled(maxItems: number, gather?: { readonly items: number; readonly ms: number }) {
  const runs: { items: readonly number[]; end: () => void; fail: (cause: Error) => void }[] = [];
  const add = batchWhileBusy<number, string>({
    maxItems,
    run: (items) =>
      new Promise<readonly string[]>((resolve, reject) => {
        runs.push({ items, end: () => resolve(items.map((item) => `result of ${item}`)), fail: reject });
      }),
    isOfAll: (cause) => cause instanceof Error && cause.message === 'all are away',
    ...(gather !== undefined && { gather }),
  });
  return { add, runs };
}

describe('batchWhileBusy', () => {
  test('runs the first item at once, and items that arrive during the run together, up to the maximum', async () => {
    const { add, runs } = controlled(2);
    const first = add(1);
    const others = [add(2), add(3)];
    const last = add(4);
    expect(runs.map(({ items }) => items)).toEqual([[1]]);
    runs[0]?.end();
    await first;
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
    runs[1]?.end();
    expect(await Promise.all(others)).toEqual(['result of 2', 'result of 3']);
    runs[2]?.end();
    expect(await last).toBe('result of 4');
  });

  test('gathers items until enough wait, or until the first has waited long enough', async () => {
    const enough = controlled(10, { items: 3, ms: 3_600_000 });
    const first = enough.add(1);
    void enough.add(2);
    expect(enough.runs).toEqual([]);
    void enough.add(3);
    void enough.add(4);
    enough.runs[0]?.end();
    await first;
    expect(enough.runs.map(({ items }) => items)).toEqual([[1, 2, 3], [4]]);
    enough.runs[1]?.end();

    const few = recording<number>({ gather: { items: 3, ms: 1 } });
    await Promise.all([few.add(1), few.add(2)]);
    expect(few.batches).toEqual([[1, 2]]);
  });

  test('runs no item again if the number of results is wrong', async () => {
    const options = { isOfAll: () => false, gather: { items: 2, ms: 3_600_000 } };
    const { add, batches } = recording<number>(options, (items) => items.slice(1).map(() => undefined));
    const ended = await Promise.allSettled([add(1), add(2)]);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches).toHaveLength(1);
  });

  test('keeps items with a common key in order, in separate batches, and runs an `alone` item in its own batch', async () => {
    const { add, batches } = recording<string>({
      keysOf: (item) => (item === 'alone' ? 'alone' : (item.match(/[A-Z]/g) ?? [])),
    });
    await Promise.all(['first', 'Ax', 'ABx', 'Cx', 'Bx', 'Cy', 'alone', 'Dx'].map(add));
    expect(batches).toEqual([['first'], ['Ax', 'Cx'], ['ABx', 'Cy'], ['Bx'], ['alone'], ['Dx']]);
  });

  test('runs the items of a failed batch one by one when one of them may be the cause', async () => {
    const { add, runs } = controlled(10);
    const first = add(1);
    const others = Promise.allSettled([add(2), add(3), add(4)]);
    runs[0]?.end();
    await first;
    runs[1]?.fail(new Error('one item fails'));
    for (const [run, fails] of [false, true, false].entries()) {
      await new Promise(setImmediate);
      if (fails) runs[run + 2]?.fail(new Error('this one'));
      else runs[run + 2]?.end();
    }
    expect((await others).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [2], [3], [4]]);
  });

  test('fails the whole batch when no single item is the cause', async () => {
    const { add, runs } = controlled(10);
    const first = add(1);
    const others = Promise.allSettled([add(2), add(3)]);
    runs[0]?.end();
    await first;
    runs[1]?.fail(new Error('all are away'));
    expect((await others).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(runs).toHaveLength(2);
  });

  test('runs outside of any request, even that of its first item', async () => {
    const requestIds: (string | undefined)[] = [];
    const { add } = recording<number>({
      maxItems: 1,
      run: async (items) => {
        await Promise.resolve();
        requestIds.push(currentRequestId());
        return items.map(() => undefined);
      },
    });
    await Promise.all([runWithRequestId('req-1', () => add(1)), runWithRequestId('req-2', () => add(2))]);
    expect(requestIds).toEqual([undefined, undefined]);
  });
});
