import type { FairnessBenchResult, FairnessPhase } from './fairness-bench.js';
import { machineLine } from './machine.js';

/** The result of the benchmark of fairness for a person. */
export function renderFairnessResult(result: FairnessBenchResult): string {
  const { before, beside, after, ratio, largestRatio } = result;
  const line = (name: string, { events, median, p99 }: FairnessPhase) =>
    `  ${name.padEnd(24)} ${String(events).padStart(6)} events   median ${median.toFixed(1).padStart(7)} ms   p99 ${p99.toFixed(1).padStart(7)} ms`;
  return [
    machineLine(result.machine),
    '',
    `From commit to receipt at ${result.healthy} healthy endpoints, ${result.eventsPerSecond} events a second together:`,
    line('alone, before', before),
    line('beside the bad ones', beside),
    line('alone, after', after),
    '',
    `The bad ones: ${result.hanging} endpoints that hang on every request, and a burst of ${result.burst.toLocaleString('en')} events of one company,`,
    `of which ${result.burstReceived.toLocaleString('en')} were received meanwhile.`,
    '',
    `Ratio of the 99th percentiles: ${ratio.toFixed(2)} (at most ${largestRatio})`,
    '',
  ].join('\n');
}
