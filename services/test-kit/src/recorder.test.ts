import { describe, expect, test } from '@jest/globals';
import { createRecorder } from './recorder.js';

describe('a recorder', () => {
  test('finds past and future items', async () => {
    const recorder = createRecorder<number>();
    recorder.record(1);
    const later = recorder.find((item) => item === 2);
    const both = recorder.atLeast(2);
    recorder.record(2);
    expect(await recorder.find((item) => item === 1)).toBe(1);
    expect(await later).toBe(2);
    expect(await both).toEqual([1, 2]);
  });

  test('waits until all items satisfy a condition', async () => {
    const recorder = createRecorder<number>();
    const sums: number[] = [];
    const isReached = recorder.until('a sum of 6', (items) => {
      const sum = items.reduce((total, item) => total + item, 0);
      sums.push(sum);
      return sum === 6;
    });
    for (const item of [1, 2, 3, 4]) recorder.record(item);
    await isReached;
    expect(sums).toEqual([0, 1, 3, 6]);
  });

  test('reports what is missing', async () => {
    const recorder = createRecorder<number>();
    await expect(recorder.atLeast(1, 1)).rejects.toThrow('1 items did not come within 1 ms; 0 items did');
    await expect(recorder.until('a sum', () => false, 1)).rejects.toThrow('a sum did not come within 1 ms');
  });
});
