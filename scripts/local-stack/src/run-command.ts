import { spawn } from 'node:child_process';

/** What a command that was run to its end has left. */
export interface CommandResult {
  /** Null: it could not be started, or a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end and collects its output. A program that cannot be started is a result, not an error. */
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

/** The last lines of what a command has said, for a message. */
export function lastLines(result: CommandResult, count = 12): string {
  return `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-count).join('\n');
}
