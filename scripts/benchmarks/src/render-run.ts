import type { DeliveryRun } from './delivery-run.js';

/** Returns the lines about the rates of a run. */
export function renderRates(run: DeliveryRun): readonly string[] {
  return [
    `  received    ${count(run.receivedPerSecond)} a second`,
    `  recorded    ${count(run.recordedPerSecond)} a second, ${count(run.sustainedPerSecond)} sustained between 10 and 90 %`,
  ];
}

/** Returns the lines about the resources that a run used. */
export function renderCosts(run: DeliveryRun): readonly string[] {
  const stored = Object.values(run.stored).reduce((sum, bytes) => sum + bytes, 0) / run.events;
  const { statements, transactions, inserted, updated, deleted, walBytes, walSyncs } = run.postgres;
  const processes = Object.entries(run.processors)
    .filter(([, milliseconds]) => milliseconds >= 0.005)
    .sort(([, one], [, other]) => other - one);
  return [
    `  busy elsewhere    ${run.coresOfOthers.toFixed(1)} cores`,
    `  TLS connections    ${count(run.connections)}`,
    '',
    `Processor time of a delivery: ${run.processorMs.toFixed(2)} ms without the benchmark's own`,
    ...processes.map(([name, milliseconds]) => `  ${name.padEnd(24)} ${milliseconds.toFixed(2)} ms`),
    '',
    'Postgres, for each delivery',
    `  statements ${statements.toFixed(2)}, transactions ${transactions.toFixed(2)}, rows inserted ${inserted.toFixed(1)}, updated ${updated.toFixed(1)}, deleted ${deleted.toFixed(1)}`,
    `  WAL ${count(walBytes)} bytes, ${walSyncs.toFixed(2)} flushes, stored ${count(stored)} bytes`,
    `RabbitMQ, for each delivery: ${count(run.brokerBytes)} bytes`,
    '',
    `Most memory: ${Object.entries(run.peakMiB)
      .map(([name, size]) => `${name} ${mebibytes(size)}`)
      .join(', ')}`,
    ...Object.entries(run.memoryMiB).map(
      ([name, sizes]) => `  ${name} in each quarter of the events    ${sizes.map(mebibytes).join(', ')}`,
    ),
  ];
}

/** Renders an integer. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** Renders a size in MiB. */
function mebibytes(size: number): string {
  return `${Math.round(size)} MiB`;
}
