import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runSettled } from './test-run.js';

const jestReport = z.object({
  numTotalTestSuites: z.number(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
});

export interface JestTotals {
  readonly files: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly succeeded: boolean;
}

/** The time limit for Jest to end after its report. Open handles would prevent it from ending at all. */
const END_MS = 20_000;

/**
 * Runs tests in a separate process. Finding no test file is not a failure. Kills a run that exceeds `limitMs`, or that does
 * not end after its report because a test has left a handle open, and counts that as one more failure.
 */
export async function runJest(options: {
  readonly args: readonly string[];
  /** The path of its report, which must not exist. */
  readonly reportFile: string;
  readonly limitMs: number;
  readonly env?: NodeJS.ProcessEnv;
}): Promise<JestTotals> {
  const jest = path.join(PROJECT_ROOT, 'node_modules/jest/bin/jest.js');
  const overdue = new AbortController();
  const giveUp = (reason: string) => overdue.abort(reason);
  const limit = setTimeout(
    giveUp,
    options.limitMs,
    `was not finished within ${options.limitMs / 60_000} min`,
  );
  let end: NodeJS.Timeout | undefined;
  const reported = setInterval(() => {
    if (!existsSync(options.reportFile)) return;
    clearInterval(reported);
    end = setTimeout(giveUp, END_MS, 'did not end: a test has left something open');
  }, 500);
  const status = await runProgram(
    process.execPath,
    [
      jest,
      // Not in the temporary directory of the run.
      '--cacheDirectory=.stack/jest-cache',
      '--passWithNoTests',
      '--json',
      `--outputFile=${options.reportFile}`,
      ...options.args,
    ],
    { ...options.env, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
    overdue.signal,
  );
  clearTimeout(limit);
  clearInterval(reported);
  clearTimeout(end);
  const isOverdue = overdue.signal.aborted;
  if (isOverdue) {
    process.stderr.write(`the run of the tests ${String(overdue.signal.reason)}\n`);
  }
  const report = existsSync(options.reportFile)
    ? jestReport.parse(JSON.parse(readFileSync(options.reportFile, 'utf8')))
    : undefined;
  const failures = (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0);
  return {
    files: report?.numTotalTestSuites ?? 0,
    passed: report?.numPassedTests ?? 0,
    failed: failures + (isOverdue ? 1 : 0),
    skipped: report?.numPendingTests ?? 0,
    succeeded: status === 0,
  };
}

/**
 * Runs a program in the project root with the input and output of this process, and resolves to its exit code. The signal
 * kills it. Resolves never if a signal ends the run, so that the killed program is not reported as a result.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  signal?: AbortSignal,
): Promise<number> {
  const child = spawn(program, args, {
    cwd: PROJECT_ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  signal?.addEventListener('abort', () => child.kill('SIGKILL'), { once: true });
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
  await runSettled();
  return exitCode;
}
