import { expect, test } from '@jest/globals';
import { measureInterleaved } from './measure-interleaved.js';

const { signal } = new AbortController();

function contender(name: string, log: string[]) {
  return {
    send: (turn: number) => {
      log.push(`${name}${turn}`);
      return Promise.resolve();
    },
  };
}

test('contenders take turns, each starts every other round, and the warm-up is not measured', async () => {
  const log: string[] = [];
  const durations = await measureInterleaved({
    contenders: [contender('a', log), contender('b', log)],
    rounds: 3,
    warmUpRounds: 1,
    atOnce: 1,
    signal,
  });
  expect(log).toEqual(['a0', 'b0', 'b1', 'a1', 'a2', 'b2', 'b3', 'a3']);
  expect(durations.map(({ length }) => length)).toEqual([3, 3]);
});

test('runs the given number of concurrent requests', async () => {
  let running = 0;
  let most = 0;
  const send = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await measureInterleaved({
    contenders: [{ send }, { send }],
    rounds: 20,
    warmUpRounds: 0,
    atOnce: 8,
    signal,
  });
  expect(most).toBe(8);
});

test('a request that fails ends the run', async () => {
  const log: string[] = [];
  const failing = { send: () => Promise.reject(new Error('answered 503')) };
  const measured = measureInterleaved({
    contenders: [contender('a', log), failing],
    rounds: 1_000,
    warmUpRounds: 0,
    atOnce: 2,
    signal,
  });
  await expect(measured).rejects.toThrow('answered 503');
  expect(log.length).toBeLessThan(10);
});
