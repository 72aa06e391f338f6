import { describe, expect, test } from '@jest/globals';
import { createBackoff } from './backoff.js';

describe('the backoff between attempts', () => {
  test('doubles from 100 ms to 5 s and stays there', () => {
    const backoff = createBackoff(() => 0);
    const delays = Array.from({ length: 9 }, () => backoff.nextDelayMs());
    expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  });

  test('is shorter by a fifth at most', () => {
    const backoff = createBackoff(() => 0.999_999);
    expect([backoff.nextDelayMs(), backoff.nextDelayMs()]).toEqual([80, 160]);
  });

  test('restarts only after a connection was open for 10 s', () => {
    const backoff = createBackoff(() => 0);
    backoff.nextDelayMs();
    backoff.lived(9_999);
    expect(backoff.nextDelayMs()).toBe(200);
    backoff.lived(10_000);
    expect(backoff.nextDelayMs()).toBe(100);
  });
});
