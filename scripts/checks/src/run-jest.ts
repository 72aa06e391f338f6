import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runSettled } from './test-run.js';

const jestReport = z.object({
  numTotalTestSuites: z.number(),
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/**
 * Runs tests in a separate process. Finding no test file is not a failure; a run that exceeds `limitMs` is killed, which is one, also if it
 * does not end because a test has left a handle open.
 */
export async function runJest(options: {
  readonly args: readonly string[];
  readonly reportFile: string;
  readonly limitMs: number;
  readonly env?: NodeJS.ProcessEnv;
}) {
  const jest = path.join(PROJECT_ROOT, 'node_modules/jest/bin/jest.js');
  // The cache is not in the temporary directory of the run.
  const always = ['--cacheDirectory=.stack/jest-cache', '--passWithNoTests'];
  const report = ['--json', `--outputFile=${options.reportFile}`];
  const exitCode = await runProgram(
    process.execPath,
    [jest, ...always, ...report, ...options.args],
    { ...options.env, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' },
    options.limitMs,
  );
  const found = existsSync(options.reportFile)
    ? jestReport.parse(JSON.parse(readFileSync(options.reportFile, 'utf8')))
    : undefined;
  return {
    files: found?.numTotalTestSuites ?? 0,
    passed: found?.numPassedTests ?? 0,
    failed: (found?.numFailedTests ?? 0) + (found?.numRuntimeErrorTestSuites ?? 0),
    skipped: found?.numPendingTests ?? 0,
    succeeded: exitCode === 0,
    /** Compiled files of which every test has passed, none skipped. */
    passedFiles: (found?.testResults ?? [])
      .filter(({ status, assertionResults }) => {
        // The file fails, but none of its tests, if what follows them throws.
        return status === 'passed' && assertionResults.every((result) => result.status === 'passed');
      })
      .map(({ name }) => name),
    /** How long each compiled file took, in ms. */
    durations: (found?.testResults ?? []).map(({ name, startTime, endTime }) => ({
      file: path.relative(PROJECT_ROOT, name),
      ms: endTime - startTime,
    })),
  };
}

/**
 * Runs a program in the project root with the input and output of this process, and resolves to its exit code; kills it after `limitMs`.
 * Resolves never if a signal ends the run, so that the killed program is not reported as a result.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  limitMs = 0,
): Promise<number> {
  const child = spawn(program, args, {
    cwd: PROJECT_ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
  await runSettled();
  if (child.signalCode !== null) process.stderr.write(`${program} was ended by ${child.signalCode}\n`);
  return exitCode;
}

export function seedOption(byDefault: 'fixed' | 'random'): Option {
  const option = new Option(
    '--seed <seed>',
    `seed of random tests: a number, or \`random\`; by default ${byDefault}`,
  );
  option.argParser(seedFrom);
  return byDefault === 'random' ? option.default(seedFrom('random')) : option;
}

function seedFrom(text: string): number {
  const seed = text === 'random' ? randomInt(2 ** 31) : Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31) return seed;
  throw new InvalidArgumentError('It must be `random` or a whole number from 0 to 2147483647.');
}
