import { invariant } from '@partner/kernel/process/invariant';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { machineTime, processorTimes, socketBytes } from './process-usage.js';

export type Counters = Readonly<Record<string, number>>;

export function mapCounters(counters: Counters, change: (value: number, name: string) => number): Counters {
  return Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, change(value, name)]));
}

/** Returns what each counter has grown by; 0 for one that has shrunk, because what it counted has ended. */
export function growth(from: Counters, to: Counters): Counters {
  return mapCounters(to, (value, name) => Math.max(0, value - (from[name] ?? 0)));
}

/** Times are in milliseconds: of the clock, of each process with its descendants, and of all processes of the machine. */
export interface Usage {
  readonly elapsedMs: number;
  readonly processors: Counters;
  readonly machineMs: number;
  readonly brokerBytes: number;
}

/** Returns a function that measures what the running processes of the stack and the others use during its work. */
export function createUsageMeter(
  { description, processes }: Stack,
  others: readonly { readonly process: string; readonly pid: number }[],
) {
  const ofStack = processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ process: name, pid }]));
  const measured = [...ofStack, ...others];
  const read = () => {
    const times = processorTimes(measured.map(({ pid }) => pid));
    return {
      processors: Object.fromEntries(measured.map(({ process, pid }) => [process, times.get(pid) ?? 0])),
      brokerBytes: socketBytes(new URL(description.amqpUrl).port),
      at: performance.now(),
      machineMs: machineTime(),
    };
  };
  return async <T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly usage: Usage }> => {
    const from = read();
    const result = await work();
    const to = read();
    const usage = {
      elapsedMs: to.at - from.at,
      processors: growth(from.processors, to.processors),
      machineMs: to.machineMs - from.machineMs,
      brokerBytes: to.brokerBytes - from.brokerBytes,
    };
    return { result, usage };
  };
}

/** Returns the cores that other processes kept busy in the slices: 0 on an idle machine. */
export function coresOfOthers(slices: readonly Usage[]): number {
  const busyMs = sum(slices.map(({ machineMs }) => machineMs));
  const measuredMs = sum(slices.flatMap(({ processors }) => Object.values(processors)));
  return Math.max(0, busyMs - measuredMs) / sum(slices.map(({ elapsedMs }) => elapsedMs));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Summarises durations; there must be at least one. */
export function summarise(durations: readonly number[]) {
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
