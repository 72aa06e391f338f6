import { describe, expect, test } from '@jest/globals';
import { instant, listOf, readPages } from './command-context.js';

describe('input of operators', () => {
  test('times are instants or durations before now', () => {
    expect(instant('2026-08-26T14:03:00Z')).toEqual(new Date('2026-08-26T14:03:00Z'));
    expect(instant('2026-08-26')).toEqual(new Date('2026-08-26T00:00:00Z'));
    const ago = Date.now() - instant('90m').getTime();
    expect(Math.abs(ago - 90 * 60_000)).toBeLessThan(10_000);
    for (const text of ['yesterday', '90', '90 m', '2026-13-01', '2026-08-26T14:03:00']) {
      expect(() => instant(text)).toThrow('must be an instant');
    }
  });

  test('lists have commas', () => {
    expect(listOf('events')('install.*, quote.sent,,')).toEqual(['install.*', 'quote.sent']);
  });

  test.each(['', ' ', ',', ' , '])('a list is not empty: "%s"', (text) => {
    expect(() => listOf('events')(text)).toThrow('It must hold events, with commas.');
  });
});

describe('pages', () => {
  const numbers = Array.from({ length: 250 }, (_, index) => index);
  const page = async (after: string | undefined, size: number) => {
    const from = after === undefined ? 0 : Number(after) + 1;
    const entries = numbers.slice(from, from + size);
    const last = entries.at(-1);
    return { entries, next: last === undefined || last === 249 ? undefined : String(last) };
  };

  test.each([
    [10, 10, true],
    [100, 100, true],
    [250, 250, false],
    [1_000, 250, false],
  ])('are read until there are %i entries', async (limit, count, hasMore) => {
    const found = await readPages(limit, page);
    expect(found).toEqual({ entries: numbers.slice(0, count), hasMore });
  });
});
