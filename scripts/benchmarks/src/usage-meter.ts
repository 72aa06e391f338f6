import { invariant } from '@partner/kernel/process/invariant';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import type { PostgresCounters } from './postgres-counters.js';
import { machineTime, processorTimes, socketBytes } from './process-usage.js';

export interface MeasuredProcess {
  readonly process: string;
  readonly pid: number;
}

export function processesOf(stack: Stack): readonly MeasuredProcess[] {
  return stack.processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ process: name, pid }]));
}

export interface ProcessUsage {
  readonly elapsedMs: number;
  readonly processors: Readonly<Record<string, number>>;
  readonly machineMs: number;
  readonly brokerBytes: number;
}

export interface Usage extends ProcessUsage {
  readonly postgres: PostgresCounters;
}

export function readUsage(processes: readonly MeasuredProcess[], { description }: Stack) {
  const processors = processorTimes(processes.map(({ pid }) => pid));
  const brokerBytes = socketBytes(new URL(description.amqpUrl).port);
  return { at: performance.now(), processors, machineMs: machineTime(), brokerBytes };
}

export function usageSince(
  from: ReturnType<typeof readUsage>,
  processes: readonly MeasuredProcess[],
  stack: Stack,
): ProcessUsage {
  const to = readUsage(processes, stack);
  const used = processes.map(({ process, pid }): [string, number] => [
    process,
    (to.processors.get(pid) ?? 0) - (from.processors.get(pid) ?? 0),
  ]);
  return {
    elapsedMs: to.at - from.at,
    processors: Object.fromEntries(used),
    machineMs: to.machineMs - from.machineMs,
    brokerBytes: to.brokerBytes - from.brokerBytes,
  };
}

/**
 * Returns the average usage of a request in all the given slices, less the usage of idle processes in the same time.
 */
export function usagePerRequest(
  slices: readonly Usage[],
  options: { readonly idle: Usage; readonly requests: number },
): Pick<Usage, 'processors' | 'postgres' | 'brokerBytes'> {
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
    brokerBytes: above(({ brokerBytes }) => brokerBytes),
  };
}

/** Returns the cores that other processes kept busy in the slices: 0 on an idle machine. */
export function coresOfOthers(slices: readonly ProcessUsage[]): number {
  const busyMs = sum(slices.map(({ machineMs }) => machineMs));
  const measuredMs = sum(slices.flatMap(({ processors }) => Object.values(processors)));
  return Math.max(0, busyMs - measuredMs) / sum(slices.map(({ elapsedMs }) => elapsedMs));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export interface Summary {
  readonly samples: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Summarises durations; there must be at least one. */
export function summarise(durations: readonly number[]): Summary {
  const at = (part: number) => quantileOf(durations, part);
  return { samples: durations.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/**
 * Returns the value that a share of the samples, from 0 to 1, does not exceed, linear between two samples; there must be at
 * least one.
 */
export function quantileOf(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  invariant(below !== undefined && above !== undefined, 'there are samples');
  return below + (above - below) * (place - Math.floor(place));
}
