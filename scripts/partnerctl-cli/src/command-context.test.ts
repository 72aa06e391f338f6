import { expect, test } from '@jest/globals';
import { instant, readPages } from './command-context.js';

test('times are instants or durations before now', () => {
  expect(instant('2026-08-26T14:03:00Z')).toEqual(new Date('2026-08-26T14:03:00Z'));
  expect(instant('2026-08-26')).toEqual(new Date('2026-08-26T00:00:00Z'));
  const ago = Date.now() - instant('90m').getTime();
  expect(Math.abs(ago - 90 * 60_000)).toBeLessThan(10_000);
  for (const text of ['yesterday', '90', '90 m', '2026-13-01', '2026-08-26T14:03:00'])
    expect(() => instant(text)).toThrow('must be an instant');
});

test.each([
  [10, 10, true],
  [100, 100, true],
  [250, 250, false],
  [1_000, 250, false],
])('pages are read until there are %i entries', async (limit, count, hasMore) => {
  const numbers = Array.from({ length: 250 }, (_, index) => index);
  const page = async (after: string | undefined, size: number) => {
    const from = after === undefined ? 0 : Number(after) + 1;
    const entries = numbers.slice(from, from + size);
    const last = entries.at(-1);
    return { entries, next: last === 249 ? undefined : String(last) };
  };
  await expect(readPages(limit, page)).resolves.toEqual({ entries: numbers.slice(0, count), hasMore });
});
