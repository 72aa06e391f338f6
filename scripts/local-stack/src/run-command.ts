import { execFile } from 'node:child_process';

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
  const { timeoutMs: timeout = 0, ...rest } = options;
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { ...rest, timeout, maxBuffer: Infinity },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ exitCode: code, stdout, stderr });
        else resolve({ exitCode: null, stdout, stderr: `${stderr}${error?.message ?? ''}` });
      },
    );
    child.stdin?.end();
  });
}

export function lastLines(result: CommandResult, count = 12): string {
  return `${result.stdout}\n${result.stderr}`.trim().split('\n').slice(-count).join('\n');
}
