import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that can run as a private instance: its command, its readiness check, and its stop signal. */
export interface LocalProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly logFile: string;
  /** User to run as; absent: the current one. */
  readonly user?: string;
  /** Prepares files and directories before each start. */
  readonly prepare?: () => Promise<void>;
  /** Readiness check; a rejection means that it is not up. */
  readonly isUp: () => Promise<boolean>;
  /** Time limit of a start, in ms. Set it high for busy machines: a program that ends is detected at once. */
  readonly startTimeoutMs: number;
  readonly stopSignal: NodeJS.Signals;
  readonly stopGraceMs: number;
}

/** A server that this process started as a private instance, in its own process group. */
export interface LocalProcess {
  readonly pid: number;
  /** Sends a signal to the whole process group. Ignores a group that has ended. */
  signal(signal: NodeJS.Signals): void;
  /** Asks it to end, and kills what is left of its group afterwards, or after the grace period of the program. */
  stop(): Promise<void>;
  /** Resolves once the process has ended. */
  ended(): Promise<void>;
}

/** A backing service could not be started. The message ends with the last lines of its log. */
export class LocalServerError extends Error {
  override readonly name = 'LocalServerError';
}

/** Finds a program in PATH and then in the given directories; undefined if it is not installed. */
export function findProgram(name: string, directories: readonly string[] = []): string | undefined {
  return [...(process.env['PATH'] ?? '').split(path.delimiter), ...directories]
    .map((directory) => path.join(directory, name))
    .find((file) => existsSync(file) && statSync(file).isFile());
}

/** Returns the minimum environment of a system program; all other variables are passed explicitly. */
export function baseEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Ports may be reserved before their servers listen: a caller that needs several reserves them first. */
const reservedPorts = new Set<number>();

/**
 * Returns a TCP port of loopback that was free a moment ago. It is returned only once in this process and, on Linux, to
 * no other running process. It is below the range for outgoing connections. Otherwise, while a server is down, a
 * reconnecting client could get that port, connect to itself and block the server's restart.
 */
export async function freePort(): Promise<number> {
  const lowest = 20_000;
  const behind = firstOutgoingPort();
  for (let attempt = 0; attempt < 50 && behind - lowest > 1_000; attempt += 1) {
    const candidate = lowest + Math.floor(Math.random() * (behind - lowest));
    if (reservedPorts.has(candidate)) continue;
    reservedPorts.add(candidate);
    if (await takePort(candidate)) return candidate;
  }
  const outgoing = await new Promise<number>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new LocalServerError('no port is free'));
        else resolve(address.port);
      });
    });
  });
  return (await takePort(outgoing)) ? outgoing : freePort();
}

/**
 * Reserves a port of loopback, and returns whether a server could listen on it now. On Linux it fails if another
 * running process holds the reservation, which lasts until the process ends.
 */
export async function takePort(port: number): Promise<boolean> {
  return (await claimPort(port)) && (await isFreePort(port));
}

const claimedPorts = new Set<number>();

/**
 * Two stacks that start concurrently would both see a port as free until a server listens on it. An abstract socket
 * reserves it and leaves nothing behind. Linux only.
 */
async function claimPort(port: number): Promise<boolean> {
  if (process.platform !== 'linux' || claimedPorts.has(port)) return true;
  const claim = createServer();
  claim.unref();
  return new Promise((resolve) => {
    claim.once('error', () => resolve(false));
    claim.listen(`\0partner-port-${port}`, () => {
      claimedPorts.add(port);
      resolve(true);
    });
  });
}

async function isFreePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

function firstOutgoingPort(): number {
  try {
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
    return Number(range.split('\t')[0]);
  } catch {
    return 32_768;
  }
}

const endWithThisProcess = new Set<number>();

/**
 * Starts a program in its own process group, with its output in a log file. Unless detached, it ends with this
 * process, however that ends (on Linux also by SIGKILL).
 */
export function startLocalProcess(program: LocalProgram, isDetached: boolean): LocalProcess {
  mkdirSync(path.dirname(program.logFile), { recursive: true });
  const log = openSync(program.logFile, 'a');
  const [command, ...args] = [...privileges(program, isDetached), program.command, ...program.args];
  const child = spawn(command ?? program.command, args, {
    cwd: program.cwd,
    env: { ...program.env },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  if (child.pid === undefined) {
    throw new LocalServerError(`${program.name}: ${program.command} cannot be started`);
  }
  const { pid } = child;
  if (isDetached) {
    child.unref();
  } else {
    if (endWithThisProcess.size === 0) process.once('exit', endAll);
    endWithThisProcess.add(pid);
    void ended.then(() => endWithThisProcess.delete(pid));
  }
  const signal = (name: NodeJS.Signals) => signalGroup(pid, name);
  return {
    pid,
    signal,
    ended: () => ended,
    async stop() {
      signal(program.stopSignal);
      const timer = setTimeout(() => signal('SIGKILL'), program.stopGraceMs);
      await ended;
      clearTimeout(timer);
      signal('SIGKILL');
    },
  };
}

function endAll(): void {
  for (const pid of endWithThisProcess) signalGroup(pid, 'SIGKILL');
}

/**
 * Returns the command that changes the user and ties the program's life to this process. One command does both, because
 * a change of user would remove the tie.
 */
function privileges({ user }: Pick<LocalProgram, 'user'>, isDetached: boolean): string[] {
  const setpriv = findProgram('setpriv', ['/usr/bin']);
  const settings = [
    ...(user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--init-groups']),
    ...(isDetached || setpriv === undefined ? [] : ['--pdeathsig=KILL']),
  ];
  return settings.length === 0 ? [] : [setpriv ?? 'setpriv', ...settings, '--'];
}

/** Sends a signal to a process group; ignores one that has ended. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}

/** Starts a program and resolves once it is up. If it does not come up, kills it and throws {@link LocalServerError}. */
export async function startLocalProgram(program: LocalProgram): Promise<LocalProcess> {
  await program.prepare?.();
  const local = startLocalProcess(program, false);
  let hasEnded = false;
  void local.ended().then(() => (hasEnded = true));
  try {
    await untilUp(program, () => !hasEnded);
  } catch (error) {
    local.signal('SIGKILL');
    await local.ended();
    throw error;
  }
  return local;
}

/**
 * Resolves once a program is up. Throws {@link LocalServerError} with the end of its log, from a byte on, if it ends first or
 * takes too long.
 */
export async function untilUp(
  { name, isUp, logFile, startTimeoutMs }: LocalProgram,
  isRunning: () => boolean,
  { fromByte, signal }: { readonly fromByte?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  const failure = (what: string) => new LocalServerError(`${name} ${what}; ${endOfLog(logFile, fromByte)}`);
  const isReady = async () => {
    const responds = await isUp().catch(() => false);
    if (!isRunning()) throw failure('has ended');
    signal?.throwIfAborted();
    return responds;
  };
  while (!(await isReady())) {
    if (Date.now() > deadline) throw failure(`was not ready within ${startTimeoutMs / 1_000} s`);
    await delay(50);
  }
}

/** Returns the last lines of a log after the given byte, for an error message. */
export function endOfLog(logFile: string, fromByte = 0): string {
  const bytes = existsSync(logFile) ? readFileSync(logFile).subarray(fromByte) : Buffer.alloc(0);
  const lines = bytes.toString('utf8').trimEnd().split('\n').slice(-15);
  return `the end of ${logFile}:\n${lines.join('\n')}`;
}
