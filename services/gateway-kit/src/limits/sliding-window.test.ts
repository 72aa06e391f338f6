import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { BUCKET_MS, createSlidingWindow, SPAN_MS } from './sliding-window.js';

const START = 1_800_000_000_000;
const gaps = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 50 }),
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: 0, max: 70_000 }),
  ),
  { maxLength: 300 },
);
const limits = fc.integer({ min: 1, max: 40 });

function accept(gapsMs: readonly number[], limit: number): number[] {
  const window = createSlidingWindow();
  let now = START;
  return gapsMs.flatMap((gap) => {
    now += gap;
    return window.take(now, limit).accepted ? [now] : [];
  });
}

describe('a sliding window', () => {
  test('never accepts more than the limit in any 60 seconds [LIMIT-6]', () => {
    fc.assert(
      fc.property(gaps, limits, (gapsMs, limit) => {
        const accepted = accept(gapsMs, limit);
        accepted.forEach((first, index) => {
          const within = accepted.slice(index).filter((instant) => instant - first <= SPAN_MS);
          expect(within.length).toBeLessThanOrEqual(limit);
        });
      }),
    );
  });

  test('refuses only when an exact log with one bucket of slack is full', () => {
    fc.assert(
      fc.property(gaps, limits, (gapsMs, limit) => {
        const window = createSlidingWindow();
        const accepted: number[] = [];
        let now = START;
        for (const gap of gapsMs) {
          now += gap;
          const counted = accepted.filter((instant) => instant > now - SPAN_MS - BUCKET_MS).length;
          if (window.take(now, limit).accepted) accepted.push(now);
          else expect(counted).toBeGreaterThanOrEqual(limit);
        }
      }),
    );
  });

  test('accepts one more exactly when the returned wait is over, and never before', () => {
    fc.assert(
      fc.property(gaps, limits, fc.integer({ min: 1, max: 40 }), (gapsMs, limit, lowerLimit) => {
        const refused = () => {
          const window = createSlidingWindow();
          let now = START;
          for (const gap of gapsMs) window.take((now += gap), limit);
          return { window, now, verdict: window.take(now, Math.min(limit, lowerLimit)) };
        };
        const { verdict } = refused();
        fc.pre(!verdict.accepted);
        const early = refused();
        expect(early.window.take(early.now + verdict.waitMs - 1, Math.min(limit, lowerLimit)).accepted).toBe(
          false,
        );
        const due = refused();
        expect(due.window.take(due.now + verdict.waitMs, Math.min(limit, lowerLimit)).accepted).toBe(true);
      }),
    );
  });

  test('keeps the limit when the clock steps back, and does not lock out a key when it was far ahead', () => {
    const window = createSlidingWindow();
    expect(window.take(START, 1).accepted).toBe(true);
    expect(window.take(START - 30_000, 1)).toMatchObject({ accepted: false, waitMs: 60_020 });
    expect(window.take(START - 3_600_000, 1).accepted).toBe(true);
  });

  test('returns the next result without counting', () => {
    fc.assert(
      fc.property(gaps, limits, (gapsMs, limit) => {
        const window = createSlidingWindow();
        let now = START;
        for (const gap of gapsMs) {
          now += gap;
          const peeked = window.peek(now, limit);
          expect(window.peek(now, limit)).toEqual(peeked);
          const taken = window.take(now, limit);
          expect(taken.accepted).toBe(peeked.accepted);
          if (!taken.accepted) expect(taken).toEqual(peeked);
          else expect(taken.remaining).toBe(peeked.remaining - 1);
        }
      }),
    );
  });

  test('uncounts a reserved request when it is given back, also after later requests', () => {
    fc.assert(
      fc.property(gaps, limits, fc.nat({ max: 299 }), (gapsMs, limit, which) => {
        const [window, without] = [createSlidingWindow(), createSlidingWindow()];
        let now = START;
        let giveBack: () => void = () => undefined;
        gapsMs.forEach((gap, turn) => {
          now += gap;
          if (turn === which % gapsMs.length) giveBack = window.reserve(now, 1_000).giveBack;
          else for (const each of [window, without]) each.record(now);
        });
        giveBack();
        expect(window.peek(now, limit)).toEqual(without.peek(now, limit));
      }),
    );
  });

  test('uncounts nothing for a request that was refused or has left the span', () => {
    const window = createSlidingWindow();
    const { giveBack } = window.reserve(START, 1);
    window.reserve(START, 1).giveBack();
    expect(window.peek(START, 1).accepted).toBe(false);
    window.take(START + 61_000, 1);
    giveBack();
    expect(window.peek(START + 61_000, 1).accepted).toBe(false);
  });

  test('counts what was accepted elsewhere, in the lower bound only while all of its bucket is in the span', () => {
    const window = createSlidingWindow();
    expect(window.peek(START, 3)).toEqual({ accepted: true, remaining: 3, resetMs: 0, waitMs: 0 });
    window.record(START);
    window.record(START + 10_000);
    expect(window.peek(START + 10_000, 3).remaining).toBe(1);
    expect(window.atLeast(START + 59_999)).toBe(2);
    expect(window.atLeast(START + 60_000)).toBe(1);
    expect(window.peek(START + 60_000, 3).remaining).toBe(1);
    expect(window.atLeast(START + 70_000)).toBe(0);
  });

  test('never counts an expired request in the lower bound', () => {
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 70_000 }), (gapsMs, pause) => {
        const window = createSlidingWindow();
        let now = START;
        const recorded = gapsMs.map((gap) => {
          window.record((now += gap));
          return now;
        });
        now += pause;
        const within = recorded.filter((instant) => instant > now - SPAN_MS).length;
        expect(window.atLeast(now)).toBeLessThanOrEqual(within);
      }),
    );
  });

  test('needs 32 bytes for a bucket and none for what has left the span [LIMIT-6]', () => {
    const window = createSlidingWindow();
    const empty = window.bytes();
    for (let bucket = 0; bucket < 600; bucket += 1) window.take(START + bucket * BUCKET_MS, 1_000);
    expect(window.bytes() - empty).toBe(600 * 32);
    window.peek(START + 2 * SPAN_MS, 1_000);
    expect(window.bytes()).toBe(empty);
  });
});
