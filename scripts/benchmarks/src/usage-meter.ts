import { countedBetween, type PostgresCounters } from './postgres-counters.js';
import { machineTime, processorTimes } from './process-usage.js';

/** A process, or the root of a group of processes. */
export interface MeasuredProcess {
  readonly process: string;
  readonly pid: number;
}

/** What processes and Postgres have used so far. */
export interface UsageReading {
  readonly at: number;
  readonly processors: ReadonlyMap<number, number>;
  readonly machineMs: number;
  readonly postgres: PostgresCounters;
}

/** What was used between two readings. */
export interface Usage {
  readonly elapsedMs: number;
  /** Milliseconds of processor time by process. */
  readonly processors: Readonly<Record<string, number>>;
  /** Milliseconds of processor time of everything that ran on the machine. */
  readonly machineMs: number;
  readonly postgres: PostgresCounters;
}

/** Reads what the processes and Postgres have used so far. */
export async function readUsage(
  processes: readonly MeasuredProcess[],
  readCounters: () => Promise<PostgresCounters>,
): Promise<UsageReading> {
  const processors = processorTimes(processes.map(({ pid }) => pid));
  return { at: performance.now(), processors, machineMs: machineTime(), postgres: await readCounters() };
}

/** What the processes and Postgres have used between two readings. */
export function usageBetween(
  processes: readonly MeasuredProcess[],
  [from, to]: readonly [UsageReading, UsageReading],
): Usage {
  const used = processes.map(({ process, pid }): [string, number] => [
    process,
    (to.processors.get(pid) ?? 0) - (from.processors.get(pid) ?? 0),
  ]);
  return {
    elapsedMs: to.at - from.at,
    processors: Object.fromEntries(used),
    machineMs: to.machineMs - from.machineMs,
    postgres: countedBetween(from.postgres, to.postgres),
  };
}

/**
 * What each of so many requests used, in all the given slices, above what the processes use without any request in the
 * same time.
 */
export function usagePerRequest(
  slices: readonly Usage[],
  options: { readonly idle: Usage; readonly requests: number },
): Pick<Usage, 'processors' | 'postgres'> {
  const { idle, requests } = options;
  const elapsedMs = sum(slices.map((slice) => slice.elapsedMs));
  const above = (of: (usage: Usage) => number) =>
    Math.max(0, sum(slices.map(of)) - (of(idle) * elapsedMs) / idle.elapsedMs) / requests;
  return {
    processors: Object.fromEntries(
      Object.keys(idle.processors).map((name) => [name, above(({ processors }) => processors[name] ?? 0)]),
    ),
    postgres: {
      statements: above(({ postgres }) => postgres.statements),
      writes: above(({ postgres }) => postgres.writes),
      walBytes: above(({ postgres }) => postgres.walBytes),
      waits: above(({ postgres }) => postgres.waits),
    },
  };
}

/** Cores that processes other than the measured ones kept busy in the slices: 0 on a quiet machine. */
export function coresOfOthers(slices: readonly Usage[]): number {
  const busyMs = sum(slices.map(({ machineMs }) => machineMs));
  const measuredMs = sum(slices.flatMap(({ processors }) => Object.values(processors)));
  return Math.max(0, busyMs - measuredMs) / sum(slices.map(({ elapsedMs }) => elapsedMs));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
