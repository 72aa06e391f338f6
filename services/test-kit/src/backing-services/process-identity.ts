import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process and when it began. Two processes that had the same number one after the other differ in `startedAt`. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In the kernel's own terms; only good for comparison. */
  readonly startedAt: string;
}

/** The identity of a process; undefined when it has ended, also when it is a zombie that nobody has waited for. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Tells whether exactly this process still runs. */
export function isProcessRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt;
}

/** The processes below a process, nearest first, whatever group or session they have made for themselves. */
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

/** The running processes that were started with the variable set to this value. Empty where `/proc` does not tell. */
export function processesWithVariable(name: string, value: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return processNumbers().flatMap((pid) => {
    const variables = readFile(`/proc/${pid}/environ`)?.split('\0') ?? [];
    const identity = variables.includes(`${name}=${value}`) ? identifyProcess(pid) : undefined;
    return identity === undefined ? [] : [identity];
  });
}

/** The running processes whose working directory this is. Empty where `/proc` does not tell. */
export function processesInDirectory(directory: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  return processNumbers().flatMap((pid) => {
    const identity = workingDirectory(pid) === directory ? identifyProcess(pid) : undefined;
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

/** What `/proc/<pid>/stat` holds behind the name, which itself may hold anything: state, parent, … */
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
