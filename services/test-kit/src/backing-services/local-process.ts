import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that can run as a private instance: how it is started, how one tells that it is up, how it is asked to end. */
export interface LocalProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly logFile: string;
  /** The user to run as, when that is not the current one. */
  readonly user?: string;
  /** Makes ready what each start needs, such as files and directories. */
  readonly prepare?: () => Promise<void>;
  /** May also fail: then it is not up. */
  readonly isUp: () => Promise<boolean>;
  readonly startTimeoutMs: number;
  readonly stopSignal: NodeJS.Signals;
  readonly stopGraceMs: number;
}

/** A server that this process started as a private instance, with its own process group. */
export interface LocalProcess {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Sends a signal to the whole process group. A group that has ended is no error. */
  signal(signal: NodeJS.Signals): void;
  /** Resolves once the process has ended. */
  ended(): Promise<void>;
}

/** A local part could not be started; the message ends with the last lines of its log. */
export class LocalPartError extends Error {
  override readonly name = 'LocalPartError';
}

/** The path of a program, looked up in PATH and then in the given directories; undefined when it is not installed. */
export function findProgram(name: string, directories: readonly string[] = []): string | undefined {
  return [...(process.env['PATH'] ?? '').split(path.delimiter), ...directories]
    .map((directory) => path.join(directory, name))
    .find((file) => existsSync(file) && statSync(file).isFile());
}

/** The variables that a program of the system needs to run at all; everything else is given to it by name. */
export function baseEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'TMPDIR'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Nothing may listen on them yet: who asks for several ports starts its servers later. */
const givenPorts = new Set<number>();

/**
 * A TCP port of loopback that was free a moment ago and that nobody else in this process was given; on Linux nor anybody in
 * another process that still runs. It lies below the range that the system takes for outgoing connections: while a server is
 * away, a client that tries to reach it could otherwise be given the very port, connect to itself and keep the server from
 * coming back.
 */
export async function freePort(): Promise<number> {
  const lowest = 20_000;
  const behind = firstOutgoingPort();
  for (let attempt = 0; attempt < 50 && behind - lowest > 1_000; attempt += 1) {
    const candidate = lowest + Math.floor(Math.random() * (behind - lowest));
    if (givenPorts.has(candidate)) continue;
    givenPorts.add(candidate);
    if (await takePort(candidate)) return candidate;
  }
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new LocalPartError('no port is free'));
        else resolve(address.port);
      });
    });
  });
}

/**
 * Tells whether a server could listen on this port of loopback now and, on Linux, no other process that still runs was given
 * it; then none is given it until this one ends.
 */
export async function takePort(port: number): Promise<boolean> {
  return (await claimPort(port)) && (await isFreePort(port));
}

const claimedPorts = new Set<number>();

/**
 * Two stacks that start beside each other would both find a port free for as long as no server listens there. An abstract
 * socket keeps it, which leaves nothing behind; only Linux has them.
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

/** Tells whether a server could listen on this port of loopback now. */
export async function isFreePort(port: number): Promise<boolean> {
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
 * Starts a program in a process group of its own, with its output in a log file. Unless detached it ends with this
 * process, however this one ends (on Linux also by SIGKILL).
 */
export function startLocalProcess(
  program: Pick<LocalProgram, 'name' | 'command' | 'args' | 'env' | 'cwd' | 'logFile' | 'user'> & {
    readonly detached: boolean;
  },
): LocalProcess {
  mkdirSync(path.dirname(program.logFile), { recursive: true });
  const log = openSync(program.logFile, 'a');
  const [command, ...args] = [...privileges(program), program.command, ...program.args];
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
    throw new LocalPartError(`${program.name}: ${program.command} cannot be started`);
  }
  const { pid } = child;
  if (program.detached) {
    child.unref();
  } else {
    if (endWithThisProcess.size === 0) process.once('exit', endAll);
    endWithThisProcess.add(pid);
    void ended.then(() => endWithThisProcess.delete(pid));
  }
  return {
    name: program.name,
    pid,
    logFile: program.logFile,
    signal: (signal) => signalGroup(pid, signal),
    ended: () => ended,
  };
}

function endAll(): void {
  for (const pid of endWithThisProcess) signalGroup(pid, 'SIGKILL');
}

/** The command that changes the user and ties the program's life to ours; both in one, since a new user would untie it. */
function privileges(program: { readonly user?: string; readonly detached: boolean }): string[] {
  const setpriv = findProgram('setpriv', ['/usr/bin']);
  const settings = [
    ...(program.user === undefined
      ? []
      : [`--reuid=${program.user}`, `--regid=${program.user}`, '--init-groups']),
    ...(program.detached || setpriv === undefined ? [] : ['--pdeathsig=KILL']),
  ];
  return settings.length === 0 ? [] : [setpriv ?? 'setpriv', ...settings, '--'];
}

/** Sends a signal to a process group; one that has ended is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** Starts a program and resolves once it is up. Throws {@link LocalPartError}, with the program ended, when it does not come up. */
export async function startLocalProgram(
  program: LocalProgram,
  options: { readonly detached: boolean },
): Promise<LocalProcess> {
  await program.prepare?.();
  const local = startLocalProcess({ ...program, detached: options.detached });
  try {
    await waitUntilUp(local, program.isUp, program.startTimeoutMs);
  } catch (error) {
    await stopLocalProcess(local, 'SIGKILL');
    throw error;
  }
  return local;
}

/** Asks a process to end, and ends it by force after `graceMs`. */
export async function stopLocalProcess(
  local: LocalProcess,
  signal: NodeJS.Signals,
  graceMs = 15_000,
): Promise<void> {
  local.signal(signal);
  const timer = setTimeout(() => local.signal('SIGKILL'), graceMs);
  await local.ended();
  clearTimeout(timer);
  // What the leader has left behind in its group.
  local.signal('SIGKILL');
}

/**
 * Waits until a probe succeeds. Throws {@link LocalPartError} with the end of the log when the process ends first or the
 * time is over.
 */
export async function waitUntilUp(
  local: Pick<LocalProcess, 'name' | 'logFile' | 'ended'>,
  probe: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  const fate = { ended: false };
  void local.ended().then(() => (fate.ended = true));
  while (!(await probe().catch(() => false))) {
    if (fate.ended || Date.now() > deadline) {
      throw new LocalPartError(
        `${local.name} ${fate.ended ? 'ended' : `was not ready within ${timeoutMs / 1000} s`}; ${endOfLog(local.logFile)}`,
      );
    }
    await delay(100);
  }
}

/** The last lines of a log behind the given byte, for a message. */
export function endOfLog(logFile: string, fromByte = 0): string {
  const bytes = existsSync(logFile) ? readFileSync(logFile).subarray(fromByte) : Buffer.alloc(0);
  const lines = bytes.toString('utf8').trimEnd().split('\n').slice(-15);
  return `the end of ${logFile}:\n${lines.join('\n')}`;
}
