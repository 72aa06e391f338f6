import { describe, expect, test } from '@jest/globals';
import { createRecorder } from './recorder.js';

describe('a recorder', () => {
  test('finds what came before and what comes later', async () => {
    const recorder = createRecorder<number>();
    recorder.record(1);
    const later = recorder.find((item) => item === 2);
    const both = recorder.atLeast(2);
    recorder.record(2);
    expect(await recorder.find((item) => item === 1)).toBe(1);
    expect(await later).toBe(2);
    expect(await both).toEqual([1, 2]);
  });

  test('says what did not come', async () => {
    const recorder = createRecorder<number>();
    await expect(recorder.atLeast(1, 1)).rejects.toThrow('1 items did not come within 1 ms; 0 items did');
  });
});
