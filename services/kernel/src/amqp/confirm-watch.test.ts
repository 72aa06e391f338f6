import { expect, test } from '@jest/globals';
import { CONFIRM_LIMIT_MS, createConfirmWatch } from './confirm-watch.js';

/** A watch with one request that has had no confirm for longer than the limit, and a function that lets time pass. */
function overdue() {
  let now = 0;
  const confirms = createConfirmWatch(() => now);
  const pass = (ms: number) => (now += ms);
  confirms.sent();
  pass(CONFIRM_LIMIT_MS + 1);
  return { confirms, pass };
}

test('confirms are missing once a second look finds them missing', () => {
  const { confirms, pass } = overdue();
  expect(confirms.areMissing()).toBe(false);
  pass(500);
  expect(confirms.areMissing()).toBe(false);
  pass(1);
  expect(confirms.areMissing()).toBe(true);
});

test('confirms that arrive after the first check are not missing', () => {
  const { confirms, pass } = overdue();
  confirms.sent();
  expect(confirms.areMissing()).toBe(false);
  confirms.confirmed();
  pass(CONFIRM_LIMIT_MS);
  expect(confirms.areMissing()).toBe(false);
  pass(1);
  // A new first check: the former one no longer counts.
  expect(confirms.areMissing()).toBe(false);
});

test('a channel without unconfirmed requests misses nothing', () => {
  const { confirms, pass } = overdue();
  confirms.areMissing();
  confirms.confirmed();
  pass(CONFIRM_LIMIT_MS + 501);
  expect(confirms.areMissing()).toBe(false);
  confirms.sent();
  expect(confirms.areMissing()).toBe(false);
});
