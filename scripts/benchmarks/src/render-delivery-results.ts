import type { BacklogBenchResult } from './backlog-bench.js';
import type { DeliveryRun } from './delivery-run.js';
import { ENDPOINTS } from './fill-endpoints.js';
import type { FloodBenchResult } from './flood-bench.js';
import type { Latency, LatencyBenchResult } from './latency-bench.js';
import { machineLine } from './machine.js';

/** The result of the benchmark of a flood for a person. */
export function renderFloodResult({
  machine,
  publishers,
  publishedPerSecond,
  run,
}: FloodBenchResult): string {
  return page(machineLine(machine), [
    `${count(run.events)} events to ${ENDPOINTS} endpoints, from the first publish to the last recorded result`,
    `  published by ${publishers} publishers    ${count(publishedPerSecond)} a second`,
    ...rates(run),
    ...costs(run),
  ]);
}

/** The result of the benchmark of a backlog for a person. */
export function renderBacklogResult(result: BacklogBenchResult): string {
  const { machine, run, barePerSecond, ratio, leastRatio, holds } = result;
  return page(machineLine(machine), [
    `${count(run.events)} deliveries to ${ENDPOINTS} endpoints that are due at one moment, until the last result is recorded`,
    ...rates(run),
    `  a bare loop of signed POSTs    ${barePerSecond.map(count).join(' before and ')} a second after`,
    `  ratio of the sustained rate    ${ratio.toFixed(2)} (at least ${leastRatio})`,
    ...costs(run),
    `  memory of the dispatcher in each quarter    ${run.dispatcherMiB.map(mebibytes).join(', ')}`,
    '',
    holds
      ? 'The ratio is large enough, and the memory of the dispatcher does not grow with the backlog.'
      : 'The ratio is too small, or the memory of the dispatcher grows with the backlog.',
  ]);
}

/** The result of the benchmark of latency for a person. */
export function renderLatencyResult(result: LatencyBenchResult): string {
  const { machine, perSecond, fromPublish, fromConfirm, run } = result;
  const line = (name: string, { p50, p95, p99 }: Latency) =>
    `  ${name}    p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  return page(machineLine(machine), [
    `${perSecond} events a second to ${ENDPOINTS} endpoints, ${count(run.events)} events`,
    line('from publish to receipt', fromPublish),
    line("from the broker's confirm to receipt", fromConfirm),
    ...costs(run),
  ]);
}

function rates(run: DeliveryRun): readonly string[] {
  return [
    `  received    ${count(run.receivedPerSecond)} a second`,
    `  recorded    ${count(run.recordedPerSecond)} a second, ${count(run.sustainedPerSecond)} sustained between 10 and 90 %`,
  ];
}

function costs(run: DeliveryRun): readonly string[] {
  const { transactions, inserted, updated, deleted, walBytes, walSyncs } = run.postgres;
  const processes = Object.entries(run.processors)
    .filter(([, milliseconds]) => milliseconds >= 0.005)
    .sort(([, one], [, other]) => other - one);
  return [
    `  busy elsewhere    ${run.coresOfOthers.toFixed(1)} cores`,
    `  TLS connections    ${count(run.connections)}`,
    '',
    `Processor time of an event: ${run.processorMs.toFixed(2)} ms without the benchmark's own`,
    ...processes.map(([name, milliseconds]) => `  ${name.padEnd(24)} ${milliseconds.toFixed(2)} ms`),
    '',
    'Postgres, for each event',
    `  transactions ${transactions.toFixed(2)}, rows inserted ${inserted.toFixed(1)}, updated ${updated.toFixed(1)}, deleted ${deleted.toFixed(1)}`,
    `  WAL ${count(walBytes)} bytes, ${walSyncs.toFixed(2)} flushes`,
    '',
    `Most memory: ${Object.entries(run.peakMiB)
      .map(([name, size]) => `${name} ${mebibytes(size)}`)
      .join(', ')}`,
  ];
}

function page(machine: string, lines: readonly string[]): string {
  return [machine, '', ...lines, ''].join('\n');
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function mebibytes(size: number): string {
  return `${Math.round(size)} MiB`;
}
