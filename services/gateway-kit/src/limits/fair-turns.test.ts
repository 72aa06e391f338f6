import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { createFairTurns } from './fair-turns.js';

/** Starts work under a key in turns of two; returns the list of what has started. */
function startInTurns() {
  const turns = createFairTurns({ perTurn: 2, maxWaiting: 5 });
  const started: string[] = [];
  return {
    started,
    come: (key: string, ...names: readonly string[]) => {
      for (const name of names) turns(key, () => started.push(name));
    },
  };
}

describe('fair turns', () => {
  test('start at most so much work in a turn of the event loop, and the first right away', async () => {
    const { come, started } = startInTurns();
    come('a', 'a1', 'a2', 'a3', 'a4', 'a5');
    expect(started).toEqual(['a1', 'a2']);
    await nextTurn();
    expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
    await nextTurn();
    expect(started).toHaveLength(5);
  });

  test('serve keys by turns, so that a burst of one does not precede the work of others [LIMIT-8]', async () => {
    const { come, started } = startInTurns();
    come('a', 'a1', 'a2', 'a3', 'a4', 'a5');
    come('b', 'b1', 'b2');
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2', 'a5']);
  });

  test('let no more work wait than their bound, so that a flood on one connection fills no memory [LIMIT-8]', async () => {
    const { come, started } = startInTurns();
    come('a', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'a9');
    expect(started).toEqual(['a1', 'a2', 'a8', 'a9']);
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect(started).toHaveLength(9);
  });
});
