import { textTable } from '@partner/local-stack/text-table';
import { type CapacityPlan, keptBytes } from './plan-capacity.js';
import type { Figures } from './read-figures.js';

const SIZES = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** Renders a plan for people. */
export function renderPlan(plan: CapacityPlan): string {
  const { postgres, rabbitmq, redis, peakPerSecond: peak } = plan;
  const [first] = plan.limits;
  const lines = [
    `Peak, a second: ${number(peak.statusEvent + peak.platformEvent)} events, ${number(peak.delivery)} deliveries, ${number(peak.retry)} retries, ${number(peak.lead)} leads, ${number(peak.feedPage + peak.feedPoll)} feed polls`,
    '',
    ...textTable(
      [
        ['SERVICE', 'CORES AT THE PEAK', 'REPLICAS'],
        ...plan.services.map(({ name, cores, replicas }) => [
          name,
          cores === 0 ? '' : number(cores),
          String(replicas),
        ]),
      ],
      'right',
    ),
    '',
    ...textTable(
      [
        ['SERVER', 'CORES AT THE PEAK', 'CORES', 'CONNECTIONS'],
        ['Postgres', number(postgres.cores), String(postgres.neededCores), String(postgres.connections)],
        ['RabbitMQ', number(rabbitmq.cores), String(rabbitmq.neededCores), String(rabbitmq.connections)],
        ['Redis', number(redis.cores), '1', ''],
      ],
      'right',
    ),
    '',
    `Postgres at the peak: ${number(postgres.statementsPerSecond)} statements, ${number(postgres.flushesPerSecond)} flushes and ${number(postgres.writesPerSecond)} writes a second`,
    `WAL: ${size(postgres.walBytesPerDay)} a day, ${size(postgres.archiveBytes)} in the archive`,
    `RabbitMQ at the peak: ${size(rabbitmq.bytesPerSecond)} a second`,
    `Database: ${size(postgres.databaseBytes)}, on a disk of ${size(postgres.diskBytes)}`,
    '',
    ...textTable(
      [
        ['TABLES', 'A DAY', 'DAYS', 'SIZE'],
        ...plan.tables.map(({ name, bytesPerDay, days, bytes }) => [
          name,
          size(bytesPerDay),
          String(days),
          size(bytes),
        ]),
      ],
      'right',
    ),
    '',
    ...textTable(
      [
        ['GIVES WAY', 'AT EVENTS A DAY', 'USED', 'USABLE', 'OF'],
        ...plan.limits.map(({ part, eventsPerDay, used, usable, available }) => [
          part,
          rounded(eventsPerDay),
          ...[used, usable, available].map(number),
        ]),
      ],
      'right',
    ),
    ...(first === undefined
      ? []
      : ['', `First: ${first.part}, at ${rounded(first.eventsPerDay)} events a day. Then: ${first.advice}.`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Renders what each thing costs, and where the figures come from. */
export function renderCosts({ costs, measurements }: Figures): string {
  const headings =
    ', gateway ms, job-state ms, dispatcher ms, Postgres ms, RabbitMQ ms, statements, flushes, WAL, stored, RabbitMQ';
  const rows = Object.values(costs).map((cost) => {
    const { processorMs } = cost;
    const gateway = (processorMs['inbound-gateway'] ?? 0) + (processorMs['installer-gateway'] ?? 0);
    const others = ['job-state', 'webhook-dispatcher', 'postgres', 'rabbitmq'].map(
      (name) => processorMs[name] ?? 0,
    );
    return [
      cost.title,
      ...[gateway, ...others, cost.statements, cost.flushes].map((value) => value.toFixed(2)),
      ...[cost.walBytes, keptBytes(cost), cost.brokerBytes].map(size),
    ];
  });
  const origins = measurements.map(
    ({ command, commit, measuredAt, machine, coresOfOthers }) =>
      `scripts/bench ${command}, ${measuredAt.slice(0, 10)}, commit ${commit}, ${machine.cores} cores (${machine.processor}); other processes kept ${coresOfOthers.toFixed(1)} busy`,
  );
  return `${[...textTable([headings.split(', '), ...rows], 'right'), '', ...origins].join('\n')}\n`;
}

/** Two significant digits: a plan is no more precise. */
function rounded(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 2 });
}

/** Two significant digits, or the whole number. */
function number(value: number): string {
  return value.toLocaleString(
    'en',
    value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 },
  );
}

/** Decimal units, as disks and networks have them. */
function size(bytes: number): string {
  const power = Math.min(SIZES.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${number(power === 0 ? Math.round(bytes) : bytes / 1_000 ** power)} ${SIZES[power]}`;
}
