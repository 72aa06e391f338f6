import { spawn } from 'node:child_process';

/** The result of a finished command. */
export interface CommandResult {
  /** Null: it could not be started, or a signal killed it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program until it exits and collects its output. A program that cannot be started is a result, not an error. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly timeoutMs?: number;
  } = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.env === undefined ? {} : { env: { ...options.env } }),
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    const done = (exitCode: number | null, problem = '') =>
      resolve({
        exitCode,
        stdout: Buffer.concat(stdout).toString('utf8'),
        stderr: `${Buffer.concat(stderr).toString('utf8')}${problem}`,
      });
    child.once('error', (error) => done(null, error.message));
    child.once('close', (code) => done(code));
  });
}

/** Returns the last lines of a command's output, for a message. */
export function lastLines(result: CommandResult, count = 12): string {
  return `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-count).join('\n');
}
