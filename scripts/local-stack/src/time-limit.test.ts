import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { collectGarbage } from './testing/collect-garbage.js';
import { withTimeLimit } from './time-limit.js';

const LONG_MS = 600_000;

/** Ends only with its signal, and returns the reason. */
async function untilEnd(signal: AbortSignal): Promise<unknown> {
  if (!signal.aborted) await once(signal, 'abort');
  return signal.reason;
}

describe('work under a time limit', () => {
  test.each([
    ['another signal', new AbortController().signal],
    ['none', undefined],
  ])('is ended by it, with %s, even if garbage is collected meanwhile', async (_other, signal) => {
    const ended = withTimeLimit({ milliseconds: 200, signal }, untilEnd);
    // Objects of the first turn stay reachable until its end.
    await nextTurn();
    collectGarbage();
    await expect(ended).resolves.toMatchObject({ name: 'TimeoutError' });
  });

  test('is ended by the other signal, with its reason', async () => {
    const other = new AbortController();
    const ended = withTimeLimit({ milliseconds: LONG_MS, signal: other.signal }, untilEnd);
    other.abort('enough');
    await expect(ended).resolves.toBe('enough');
    await expect(withTimeLimit({ milliseconds: LONG_MS, signal: other.signal }, untilEnd)).resolves.toBe(
      'enough',
    );
  });

  test('that has ended leaves no timer or listener, with either result', async () => {
    const other = new AbortController();
    const signals: AbortSignal[] = [];
    const limit = { milliseconds: LONG_MS, signal: other.signal };
    await expect(
      withTimeLimit(limit, async (signal) => {
        signals.push(signal);
        return 'done';
      }),
    ).resolves.toBe('done');
    await expect(
      withTimeLimit(limit, async (signal) => {
        signals.push(signal);
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    other.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });
});
