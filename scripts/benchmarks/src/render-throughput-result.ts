import type { ThroughputBenchResult } from './throughput-bench.js';
import { machineLine } from './machine.js';

/** The result of the benchmark of throughput for a person. */
export function renderThroughputResult(result: ThroughputBenchResult): string {
  const { perSecond, barePerSecond, ratio, leastRatio, processors, dispatcherMiB } = result;
  const count = (value: number) => Math.round(value).toLocaleString('en');
  return [
    machineLine(result.machine),
    '',
    `${count(result.deliveries)} deliveries to ${result.subscriptions} subscriptions, from commit to recorded result: ${count(perSecond)} a second`,
    `A bare loop that signs and POSTs the same bodies to the same receiver: ${barePerSecond.map(count).join(' before and ')} a second after`,
    `Ratio: ${ratio.toFixed(2)} (at least ${leastRatio})`,
    '',
    'Where the time goes, in cores:',
    ...processors.map(({ process, cores }) => `  ${process.padEnd(30)} ${cores.toFixed(2)}`),
    '',
    `Memory of the dispatcher, largest in each quarter of the backlog: ${dispatcherMiB.map((size) => `${Math.round(size)} MiB`).join(', ')}`,
    '',
    result.holds
      ? 'The ratio is large enough, and the memory of the dispatcher does not grow with the backlog.'
      : 'The ratio is too small, or the memory of the dispatcher grows with the backlog.',
    '',
  ].join('\n');
}
