import { spawnSync } from 'node:child_process';
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
  for (const name of ifThere(() => readdirSync('/proc')) ?? []) {
    if (!/^\d+$/.test(name)) continue;
    const text = ifThere(() => readFileSync(`/proc/${name}/stat`, 'utf8'));
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

export function peakMemoryMiB(pid: number): number | undefined {
  const kibibytes = statusNumber(pid, 'VmHWM');
  return kibibytes === undefined ? undefined : kibibytes / 1_024;
}

export function sleepsOf(pid: number): number | undefined {
  return statusNumber(pid, 'voluntary_ctxt_switches');
}

/** Returns the bytes that a server on this port has sent and received over its open connections; 0 where `ss` does not report it. */
export function socketBytes(port: string): number {
  const { error, stdout } = spawnSync('ss', ['-tinH', `sport = :${port}`], { encoding: 'utf8' });
  const counts = error === undefined ? stdout.matchAll(/\bbytes_(?:sent|received):(\d+)/g) : [];
  return [...counts].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

function statusNumber(pid: number, field: string): number | undefined {
  const status = ifThere(() => readFileSync(`/proc/${pid}/status`, 'utf8'));
  const [, number] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Returns what a read of `/proc` returns; undefined where there is no such file, e.g. of a process that has ended. */
function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
