import { describe, expect, test } from '@jest/globals';
import { createShareGate } from './share-gate.js';

const FOR_EVER = Number.POSITIVE_INFINITY;
const work = 'writes';

/** Fills the share of a key, and returns the functions that free its slots. */
function fill(gate: ReturnType<typeof createShareGate>, key: string): (() => void)[] {
  const leaves: (() => void)[] = [];
  for (let leave = gate.tryEnter(key); leave !== undefined; leave = gate.tryEnter(key)) leaves.push(leave);
  return leaves;
}

describe('a share gate', () => {
  test('limits one key to a quarter of the slots [LIMIT-8]', async () => {
    const gate = createShareGate({ slots: 8, queue: 8, work });
    expect(fill(gate, 'hostile')).toHaveLength(2);
    expect(['a', 'b', 'c'].map((key) => fill(gate, key).length)).toEqual([2, 2, 2]);
    expect(fill(gate, 'd')).toHaveLength(0);
    expect(gate.running()).toBe(8);
  });

  test('limits one key to a quarter of the queue, and refuses more with retryAfterSeconds [LIMIT-8]', async () => {
    const gate = createShareGate({ slots: 4, queue: 8, work });
    const [leave] = fill(gate, 'hostile');
    const waiting = [1, 2].map(() => gate.run('hostile', FOR_EVER, async () => 'done'));
    await expect(gate.enter('hostile', FOR_EVER)).rejects.toMatchObject({
      reason: 'unavailable',
      attributes: { retryAfterSeconds: 1 },
      message: expect.stringContaining('too many writes are in flight; nothing was done; retry, with'),
    });
    expect(await gate.run('other', 0, async () => 'served')).toBe('served');
    leave?.();
    expect(await Promise.all(waiting)).toEqual(['done', 'done']);
    expect([gate.running(), gate.waiting()]).toEqual([0, 0]);
  });

  test('starts the entries of a key in order, and alternates between keys', async () => {
    const gate = createShareGate({ slots: 1, queue: 16, work });
    const leave = gate.tryEnter('first');
    const order: string[] = [];
    const entered = ['a1', 'a2', 'b1', 'b2'].map((name) =>
      gate.run(name.slice(0, 1), FOR_EVER, async () => order.push(name)),
    );
    leave?.();
    await Promise.all(entered);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  test('refuses an entry that times out; it never starts and uses no slot', async () => {
    const gate = createShareGate({ slots: 1, queue: 4, work });
    const leave = gate.tryEnter('a');
    let begun = 0;
    const begin = async () => (begun += 1);
    await expect(gate.run('a', 1, begin)).rejects.toMatchObject({ reason: 'unavailable' });
    leave?.();
    expect([begun, gate.waiting(), gate.running()]).toEqual([0, 0, 0]);
    await gate.run('a', 0, begin);
    expect(begun).toBe(1);
  });

  test('frees the slot of work that fails, and a slot only once', async () => {
    const gate = createShareGate({ slots: 4, queue: 4, work });
    await expect(gate.run('a', 0, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    const leave = gate.tryEnter('a');
    leave?.();
    leave?.();
    expect(gate.running()).toBe(0);
  });
});
