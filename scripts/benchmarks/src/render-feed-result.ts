import type { FeedBenchResult } from './feed-bench.js';
import { machineLine } from './machine.js';

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
  const columns = table[0] ?? [];
  const widths = columns.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  const tooLarge = comparisons.filter(({ ratio }) => ratio > largestRatio).length;
  const verdict =
    tooLarge === 0
      ? `The long feed reads as fast as the short one: no ratio of medians is above ${largestRatio}.`
      : `The long feed reads slower than the short one: ${tooLarge} of ${comparisons.length} ratios are above ${largestRatio}.`;
  return [machineLine(machine), '', ...lines, '', verdict, ''].join('\n');
}
