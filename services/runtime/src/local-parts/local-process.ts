import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

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

/** A TCP port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no free port'));
        else resolve(address.port);
      });
    });
  });
}

/** Starts a program in a process group of its own, with its output in a log file. Unless detached it ends with us. */
export function startLocalProcess(options: {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly logFile: string;
  readonly detached: boolean;
}): LocalProcess {
  mkdirSync(path.dirname(options.logFile), { recursive: true });
  const log = openSync(options.logFile, 'a');
  const child: ChildProcess = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: { ...options.env },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  if (child.pid === undefined) throw new LocalPartError(`${options.name}: ${options.command} cannot be started`);
  const { pid } = child;
  if (options.detached) {
    child.unref();
  } else {
    const endWithUs = () => signalGroup(pid, 'SIGKILL');
    process.once('exit', endWithUs);
    void ended.then(() => process.off('exit', endWithUs));
  }
  return {
    name: options.name,
    pid,
    logFile: options.logFile,
    signal: (signal) => signalGroup(pid, signal),
    ended: () => ended,
  };
}

/** Sends a signal to a process group; one that has ended is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
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
  local: LocalProcess,
  probe: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let isOver = false;
  void local.ended().then(() => (isOver = true));
  while (!(await probe().catch(() => false))) {
    if (isOver || Date.now() > deadline) {
      const lines = readFileSync(local.logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
      throw new LocalPartError(
        `${local.name} ${isOver ? 'ended' : `was not ready within ${timeoutMs / 1000} s`}; the end of ${local.logFile}:\n${lines}`,
      );
    }
    await delay(100);
  }
}
