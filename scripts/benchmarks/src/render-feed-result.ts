import type { FeedBenchResult } from './feed-bench.js';
import { machineLine } from './machine.js';
import { textTable } from './text-table.js';

/** The result of the feed's benchmark as a table for a person. */
export function renderFeedResult(result: FeedBenchResult): string {
  const { machine, changes, comparisons, largestRatio } = result;
  const milliseconds = (value: number) => `${value.toFixed(2)} ms`;
  const count = (value: number) => value.toLocaleString('en');
  const table = [
    [
      'read',
      'at once',
      'samples',
      ...[changes.short, changes.long].flatMap((length) => [`${count(length)}: median`, 'p95']),
      'ratio',
    ],
    ...comparisons.map(({ read, atOnce, short, long, ratio }) => [
      read,
      String(atOnce),
      String(short.samples),
      ...[short, long].flatMap(({ median, p95 }) => [milliseconds(median), milliseconds(p95)]),
      ratio.toFixed(2),
    ]),
  ];
  const tooLarge = comparisons.filter(({ ratio }) => ratio > largestRatio).length;
  const verdict =
    tooLarge === 0
      ? `The long feed reads as fast as the short one: no ratio of medians is above ${largestRatio}.`
      : `The long feed reads slower than the short one: ${tooLarge} of ${comparisons.length} ratios are above ${largestRatio}.`;
  return [machineLine(machine), '', ...textTable(table), '', verdict, ''].join('\n');
}
