import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PROJECT_ROOT } from './stack/project-root.js';

const jestReport = z.object({
  numTotalTestSuites: z.number(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
});

/** What a run of Jest has come to. A file that could not be run is a failure. */
export interface JestTotals {
  /** Test files that were found. */
  readonly files: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly succeeded: boolean;
}

/** Runs tests in a process of their own. Finding no test file is no failure. */
export async function runJest(options: {
  /** The arguments of Jest. */
  readonly args: readonly string[];
  /** Where its report is put; nothing may be there. */
  readonly reportFile: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Whether what it says is thrown away. */
  readonly isSilent?: boolean;
}): Promise<JestTotals> {
  const jest = path.join(PROJECT_ROOT, 'node_modules/jest/bin/jest.js');
  const status = await runProgram(
    process.execPath,
    [jest, '--passWithNoTests', '--json', `--outputFile=${options.reportFile}`, ...options.args],
    { ...options.env, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
    options.isSilent === true ? 'ignore' : 'inherit',
  );
  const report = jestReport.parse(JSON.parse(readFileSync(options.reportFile, 'utf8')));
  return {
    files: report.numTotalTestSuites,
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    skipped: report.numPendingTests,
    succeeded: status === 0,
  };
}

/** Runs a program in the root of the project, as a rule with the input and output of this process, to its exit code. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  stdio: 'inherit' | 'ignore' = 'inherit',
): Promise<number> {
  const child = spawn(program, args, {
    cwd: PROJECT_ROOT,
    stdio,
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
