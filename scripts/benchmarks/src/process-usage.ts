import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/**
 * Returns the processor time that each of the processes and its descendants have used so far, in milliseconds. Empty where
 * the system does not report it.
 */
export function processorTimes(roots: readonly number[]): ReadonlyMap<number, number> {
  const processes = new Map<number, { readonly parent: number; readonly milliseconds: number }>();
  for (const name of entriesOf('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const text = read(`/proc/${name}/stat`);
    if (text === undefined) continue;
    // The name in parentheses can contain any character.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0);
    processes.set(Number(name), { parent: Number(fields[1]), milliseconds: ticks * TICK_MS });
  }
  const times = new Map<number, number>();
  for (const [pid, { milliseconds }] of processes) {
    let root: number | undefined = pid;
    while (root !== undefined && !roots.includes(root)) root = processes.get(root)?.parent;
    if (root !== undefined) times.set(root, (times.get(root) ?? 0) + milliseconds);
  }
  return times;
}

/** Returns the processor time that all processes of this machine have used so far, in milliseconds. */
export function machineTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

/** Returns the memory of a process, in MiB; undefined where the system does not report it. */
export function residentMiB(pid: number): number | undefined {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

/** Returns the peak memory of a process, in MiB; undefined where the system does not report it. */
export function peakMiB(pid: number): number | undefined {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
