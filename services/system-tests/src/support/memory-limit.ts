import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';

const MEBIBYTE = 1_048_576;

/** The memory of a service's pod by its chart. */
interface ChartMemory {
  readonly limitBytes: number;
  readonly nodeOptions: string;
}

export function chartMemory(service: ServiceName): ChartMemory {
  const values = readFileSync(path.join(PROJECT_ROOT, 'charts', service, 'values.yaml'), 'utf8');
  const limit = /^ {2}limits:\n(?: {4}#.*\n)* {4}memory: (\d+)Mi$/m.exec(values)?.[1];
  const percent = /^nodeHeapPercent: (\d+)$/m.exec(values)?.[1];
  if (limit === undefined || percent === undefined) throw new Error(`the chart of ${service} has no limit`);
  const heap = Math.floor((Number(limit) * Number(percent)) / 100);
  return { limitBytes: Number(limit) * MEBIBYTE, nodeOptions: `--max-old-space-size=${heap}` };
}

/** A memory cgroup; the kernel ends a process in it that exceeds its limit. */
export interface MemoryGroup {
  /** Runs work while this process is in the group, so that processes that it starts are too. */
  startingIn<T>(work: () => Promise<T>): Promise<T>;
  remove(): void;
}

/** Creates a memory cgroup of version 1 or 2; undefined where this process may not. */
export function createMemoryGroup(name: string, limitBytes: number): MemoryGroup | undefined {
  const isFirst = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes');
  const root = isFirst ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup';
  const own = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([number, controller]) => (isFirst ? controller === 'memory' : number === '0'))?.[2];
  const group = path.join(root, `${name}-${process.pid}`);
  const enter = (place: string) => writeFileSync(path.join(place, 'cgroup.procs'), String(process.pid));
  try {
    mkdirSync(group);
    writeFileSync(path.join(group, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(limitBytes));
    enter(group);
    enter(path.join(root, own ?? ''));
  } catch {
    if (existsSync(group)) rmdirSync(group);
    return undefined;
  }
  return {
    async startingIn(work) {
      enter(group);
      try {
        return await work();
      } finally {
        enter(path.join(root, own ?? ''));
      }
    },
    remove: () => rmdirSync(group),
  };
}

/** Returns the most memory that a process has had at one time, in bytes. */
export function peakMemory(pid: number): number {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(peak) * 1_024;
}
