import { beforeEach, describe, expect, test } from '@jest/globals';
import { createKeyedThrottle } from './keyed-throttle.js';
import { createManualTimers, type ManualTimers } from './testing/manual-timers.js';

let timers: ManualTimers;
let given: [string, ...string[]][];

beforeEach(() => {
  timers = createManualTimers();
  given = [];
});

function start() {
  return createKeyedThrottle({
    intervalMs: 1_000,
    give: (key, items) => given.push([key, ...items]),
    after: timers.after,
  });
}

describe('a throttle', () => {
  test('gives the first at once, and what comes while its key rests together at the end of the rest', () => {
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

  test('never gives more often than once in the interval, however much is noted', () => {
    const throttle = start();
    for (let ms = 0; ms < 10_000; ms += 10) {
      throttle.note('a', ['1']);
      timers.pass(10);
    }
    expect(given).toHaveLength(11);
  });

  test('keeps keys apart', () => {
    const throttle = start();
    throttle.note('a', ['1']);
    throttle.note('b', ['2']);
    expect(given).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  test('says that it could be anything when that was noted among others', () => {
    const throttle = start();
    throttle.note('a', ['1']);
    throttle.note('a', ['2']);
    throttle.note('a', []);
    timers.pass(1_000);
    expect(given).toEqual([['a', '1'], ['a']]);
  });

  test('holds nothing of a key that nothing is noted for, nor of anything after its end', () => {
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
