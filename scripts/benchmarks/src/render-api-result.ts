import type { ApiBenchResult } from './api-bench.js';
import { machineLine } from './machine.js';
import { textTable } from './text-table.js';

/** The result of the API's benchmark as tables for a person. */
export function renderApiResult({ machine, rounds, seconds, comparisons }: ApiBenchResult): string {
  const rates = comparisons.map(({ operation, connections, ours, baseline, ratio, coresOfOthers }) => [
    operation,
    String(connections),
    ours.perSecond.toFixed(0),
    baseline.perSecond.toFixed(0),
    ratio.toFixed(2),
    ...[ours.p50, ours.p95, ours.p99, baseline.p50, baseline.p99].map((time) => time.toFixed(1)),
    coresOfOthers.toFixed(1),
  ]);
  const costs = comparisons.map(({ operation, connections, ours, baseline }) => {
    const [gateway, jobState, postgres, rabbitmq, redis] = Object.values(ours.processors);
    const times = [ours.processorMs, gateway, jobState, postgres, rabbitmq, redis, baseline.processorMs];
    const { statements, waits, writes, walBytes } = ours.postgres;
    return [
      operation,
      String(connections),
      ...times.map((time) => (time ?? 0).toFixed(2)),
      (baseline.processorMs / ours.processorMs).toFixed(2),
      ...[statements, waits, writes].map((count) => count.toFixed(1)),
      walBytes.toFixed(0),
    ];
  });
  const [rateHeadings, costHeadings] = [
    [
      '',
      'connections',
      'requests/s',
      'baseline/s',
      'ratio',
      'p50 ms',
      'p95',
      'p99',
      'baseline p50',
      'p99',
      'busy elsewhere',
    ],
    [
      'processor time in ms a request',
      'connections',
      'sum',
      'gateway',
      'job-state',
      'Postgres',
      'RabbitMQ',
      'Redis',
      'baseline',
      'ratio',
      'statements',
      'waits',
      'writing tx',
      'WAL bytes',
    ],
  ];
  return [
    machineLine(machine),
    `Medians of ${rounds} rounds of ${seconds} s, the service and its baseline in turn.`,
    'Busy elsewhere: cores that other processes of the machine used meanwhile.',
    '',
    ...textTable([rateHeadings, ...rates]),
    '',
    ...textTable([costHeadings, ...costs]),
    '',
  ].join('\n');
}
