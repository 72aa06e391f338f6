import { beforeEach, describe, expect, test } from '@jest/globals';
import { createKeyedThrottle } from './keyed-throttle.js';
import { createManualTimers, type ManualTimers } from '../testing/manual-timers.js';

let timers: ManualTimers;
let given: [string, ...string[]][];

beforeEach(() => {
  timers = createManualTimers();
  given = [];
});

function start() {
  return createKeyedThrottle({
    intervalMs: 1_000,
    emit: (key, items) => given.push([key, ...items]),
    after: timers.after,
  });
}

describe('a throttle', () => {
  test('emits the first note at once, and later ones together at the end of the rest', () => {
    const throttle = start();
    throttle.note('a', ['1', '1']);
    expect(given.splice(0)).toEqual([['a', '1']]);
    throttle.note('a', ['2']);
    throttle.note('a', ['3', '2']);
    timers.pass(999);
    expect(given).toEqual([]);
    timers.pass(1);
    expect(given.splice(0)).toEqual([['a', '2', '3']]);
    throttle.note('a', ['4']);
    expect(given).toEqual([]);
    timers.pass(1_000);
    expect(given).toEqual([['a', '4']]);
  });

  test('throttles each key separately', () => {
    const throttle = start();
    throttle.note('a', ['1']);
    throttle.note('b', ['2']);
    expect(given).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  test('emits no items when a note without items was among them', () => {
    const throttle = start();
    throttle.note('a', ['1']);
    throttle.note('a', ['2']);
    throttle.note('a', []);
    timers.pass(1_000);
    expect(given).toEqual([['a', '1'], ['a']]);
  });

  test('holds nothing for idle keys, nor after its end', () => {
    const throttle = start();
    throttle.note('a', ['1']);
    timers.pass(1_000);
    expect(timers.waiting()).toBe(0);
    throttle.note('a', ['2']);
    throttle.note('a', ['3']);
    throttle.stop();
    expect(timers.waiting()).toBe(0);
    expect(given).toEqual([
      ['a', '1'],
      ['a', '2'],
    ]);
  });
});
