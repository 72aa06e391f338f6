import { describe, expect, test } from '@jest/globals';
import { createManualTimers } from '../testing/manual-timers.js';
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
  test('gives a key a slot while more are free than it has, so at most half of them [LIMIT-8]', async () => {
    const gate = createShareGate({ slots: 8, queue: 8, work });
    const [leave] = fill(gate, 'hostile');
    expect(gate.running()).toBe(4);
    expect(['a', 'b', 'c', 'd'].map((key) => fill(gate, key).length)).toEqual([2, 1, 1, 0]);
    leave?.();
    expect(gate.tryEnter('hostile')).toBeUndefined();
    expect(fill(gate, 'd')).toHaveLength(1);
  });

  test('with a full queue refuses the last entry of the key with the most, and tells it to retry [LIMIT-6, LIMIT-8, HTTP-22]', async () => {
    const gate = createShareGate({ slots: 1, queue: 3, work });
    const [leave] = fill(gate, 'hostile');
    const order: string[] = [];
    const enter = (key: string, name: string) =>
      gate.run(key, { timeoutMs: FOR_EVER }, async () => order.push(name));
    const [first, second, last] = ['h1', 'h2', 'h3'].map((name) =>
      enter('hostile', name).catch((error: unknown) => error),
    );
    const other = enter('other', 'o1');
    expect(await last).toMatchObject({
      reason: 'unavailable',
      attributes: { retryAfterSeconds: 1, isOfCaller: true },
      message: expect.stringContaining('too many writes are in flight; nothing was done; retry, with'),
    });
    const third = enter('third', 't1');
    expect(await second).toMatchObject({ reason: 'unavailable' });
    // Others alone have filled the queue.
    await expect(enter('fourth', 'f1')).rejects.toMatchObject({ attributes: { isOfCaller: false } });
    leave?.();
    await Promise.all([first, other, third]);
    expect(order).toEqual(['h1', 'o1', 't1']);
    expect([gate.running(), gate.waiting()]).toEqual([0, 0]);
  });

  test('starts the entries of a key in order, and alternates between keys', async () => {
    const gate = createShareGate({ slots: 1, queue: 16, work });
    const leave = gate.tryEnter('first');
    const order: string[] = [];
    const entered = ['a1', 'a2', 'b1', 'b2'].map((name) =>
      gate.run(name.slice(0, 1), { timeoutMs: FOR_EVER }, async () => order.push(name)),
    );
    leave?.();
    await Promise.all(entered);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  test('alternates between the parts of a key [LIMIT-6]', async () => {
    const gate = createShareGate({ slots: 1, queue: 16, work });
    const [leave] = fill(gate, 'network');
    const order: string[] = [];
    const entered = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) =>
      gate.run('network', { timeoutMs: FOR_EVER, part: name.slice(0, 1) }, async () => order.push(name)),
    );
    leave?.();
    await Promise.all(entered);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  test('keeps a slot in use for its minimum time, or for as long as the work takes [LIMIT-6]', async () => {
    const { after, pass } = createManualTimers();
    const gate = createShareGate({ slots: 2, queue: 4, work, slotMs: 40, after });
    const [short, long] = ['a', 'b'].map((key) => gate.tryEnter(key));
    short?.();
    expect(gate.tryEnter('c')).toBeUndefined();
    pass(40);
    const next = await gate.enter('c', { timeoutMs: FOR_EVER });
    expect(gate.running()).toBe(2);
    long?.();
    await gate.enter('d', { timeoutMs: FOR_EVER });
    expect(gate.running()).toBe(2);
    next();
    expect(gate.running()).toBe(2);
  });

  test('refuses an entry that times out; it never starts and uses no slot', async () => {
    const gate = createShareGate({ slots: 1, queue: 4, work });
    const leave = gate.tryEnter('a');
    let begun = 0;
    const begin = async () => (begun += 1);
    await expect(gate.run('a', { timeoutMs: 1 }, begin)).rejects.toMatchObject({ reason: 'unavailable' });
    leave?.();
    expect([begun, gate.waiting(), gate.running()]).toEqual([0, 0, 0]);
    await gate.run('a', { timeoutMs: 0 }, begin);
    expect(begun).toBe(1);
  });

  test('frees the slot of work that fails, and a slot only once', async () => {
    const gate = createShareGate({ slots: 4, queue: 4, work });
    await expect(gate.run('a', { timeoutMs: 0 }, () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    const leave = gate.tryEnter('a');
    leave?.();
    leave?.();
    expect(gate.running()).toBe(0);
  });
});
