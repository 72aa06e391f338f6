import { type BackoffBenchResult, LONGEST_IDLE_MS, type RetryLateness } from './backoff-bench.js';
import { machineLine } from './machine.js';

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;

/** The result of the benchmark of the backoff for a person. */
export function renderBackoffResult(result: BackoffBenchResult): string {
  const line = (retry: RetryLateness, index: number) =>
    `  retry ${index + 1} after ${retry.backoffMs / 1_000} s: later by min ${seconds(retry.min)}, median ${seconds(retry.median)},` +
    ` max ${seconds(retry.max)}; ${retry.onTime} of ${result.deliveries} within +10 %;` +
    ` the others waited at most ${seconds(retry.longestIdleMs)} while a slot was free`;
  return [
    machineLine(result.machine),
    '',
    ...result.endpoints.flatMap(({ name, retries }) => [
      `${result.deliveries} deliveries to an endpoint that ${name}:`,
      ...retries.map(line),
      '',
    ]),
    `No retry may start early, or wait longer than ${seconds(LONGEST_IDLE_MS)} while a slot is free.`,
    '',
  ].join('\n');
}
