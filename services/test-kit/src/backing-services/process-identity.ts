import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process id with its start time. Two processes that reuse an id differ in `startedAt`. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In kernel units; only for comparison. */
  readonly startedAt: string;
}

/** Returns the identity of a process; undefined if it has ended, also if it is a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Returns whether exactly this process is still running. */
export function isProcessRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** Returns the descendants of a process, nearest first, in any process group or session. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const [child, parent] of parentsByProcess()) {
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const found: number[] = [];
  for (const next = [pid]; next.length > 0;) {
    const below = children.get(next.shift() ?? 0) ?? [];
    found.push(...below);
    next.push(...below);
  }
  return found;
}

/** Returns the running processes that were started with the variable set to this value. Empty without `/proc`. */
export function processesWithVariable(name: string, value: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return processNumbers().flatMap((pid) => {
    const variables = readFile(`/proc/${pid}/environ`)?.split('\0') ?? [];
    const identity = variables.includes(`${name}=${value}`) ? identifyProcess(pid) : undefined;
    return identity === undefined ? [] : [identity];
  });
}

/** Returns the running processes whose working directory is this one or in it. Empty without `/proc`. */
export function processesInDirectory(directory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return processNumbers().flatMap((pid) => {
    const found = workingDirectory(pid);
    const isInside = found === directory || found?.startsWith(`${directory}/`) === true;
    const identity = isInside ? identifyProcess(pid) : undefined;
    return identity === undefined ? [] : [identity];
  });
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function parentsByProcess(): [number, number][] {
  if (process.platform === 'linux') {
    return processNumbers().flatMap((pid): [number, number][] => {
      const parent = statFields(pid)?.[1];
      return parent === undefined ? [] : [[pid, Number(parent)]];
    });
  }
  const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line): [number, number] => {
    const [pid = '', parent = ''] = line.trim().split(/\s+/);
    return [Number(pid), Number(parent)];
  });
}

function startOnLinux(pid: number): string | undefined {
  const fields = statFields(pid);
  const state = fields?.[0];
  const ticksSinceBoot = fields?.[19];
  if (state === undefined || ticksSinceBoot === undefined || state === 'Z' || state === 'X') return undefined;
  return `${readFile('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}/${ticksSinceBoot}`;
}

function startElsewhere(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

/** Returns the fields of `/proc/<pid>/stat` after the name, which may contain any character: state, parent, … */
function statFields(pid: number): string[] | undefined {
  const line = readFile(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(')') + 2).split(' ');
}

function processNumbers(): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
