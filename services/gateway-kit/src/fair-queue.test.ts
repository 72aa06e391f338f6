import { describe, expect, test } from '@jest/globals';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import { createFairQueue } from './fair-queue.js';

/** A queue with two slots that rest 40 ms, and work that the test ends. */
function createFixture() {
  const { after, pass } = createManualTimers();
  const queue = createFairQueue({ slots: 2, slotMs: 40, maxWaiting: 4, after });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const settled = new Map<string, unknown>();
  const run = (owner: string, name: string, key = name) => {
    const work = () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    };
    queue.run({ owner, key }, work).then(
      () => settled.set(name, 'done'),
      (error: unknown) => settled.set(name, error),
    );
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    run,
    started,
    settled,
    end: async (name: string) => {
      ends.get(name)?.();
      await turn();
    },
    pass: async (ms: number) => {
      pass(ms);
      await turn();
    },
    turn,
  };
}

describe('a fair queue', () => {
  test('starts at most as much work as it has slots, and the next when one has ended and rested [LIMIT-6]', async () => {
    const { run, started, end, pass, settled } = createFixture();
    for (const name of ['1', '2', '3', '4']) run('a', name);
    expect(started).toEqual(['1', '2']);
    await end('1');
    expect(settled.get('1')).toBe('done');
    expect(started).toEqual(['1', '2']);
    await pass(40);
    expect(started).toEqual(['1', '2', '3']);
    await end('2');
    expect(started).toEqual(['1', '2', '3', '4']);
  });

  test('serves owners round-robin, regardless of their waiting work [LIMIT-6]', async () => {
    const { run, started, end, pass } = createFixture();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) run('a', name);
    run('b', 'b1');
    await pass(40);
    await end('a1');
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  test('serves the keys of an owner round-robin [LIMIT-6]', async () => {
    const { run, started, settled, end, pass, turn } = createFixture();
    for (const name of ['1', '2', '3', '4', '5']) run('a', name, 'repeated');
    run('a', 'other');
    run('a', '6', 'repeated');
    await turn();
    expect([...settled.keys()]).toEqual(['6']);
    await pass(40);
    await end('1');
    await end('2');
    expect(started).toEqual(['1', '2', '3', 'other']);
  });

  test('refuses only the newest work of the owner with the most waiting work when it is full [LIMIT-6]', async () => {
    const { run, settled, turn } = createFixture();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) run('a', name);
    run('b', 'b1');
    await turn();
    expect([...settled.keys()]).toEqual(['a6']);
    expect(settled.get('a6')).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
  });

  test('refuses the new work when no other owner has more, and keeps the waiting work [LIMIT-6]', async () => {
    const { run, settled, turn } = createFixture();
    for (const owner of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) run(owner, owner);
    await turn();
    expect([...settled.keys()]).toEqual(['g', 'h']);
  });
});
