import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { installMissingPrograms } from '@partner/local-stack/backing-services/install-missing-programs';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runJest, seedOption } from './run-jest.js';
import { beginRun } from './test-run.js';

/** Of what a run takes besides its span: start, the end of all retries, and the checks. */
const LEEWAY_MINUTES = 30;

function minutesFrom(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 1_440) return minutes;
  throw new InvalidArgumentError('It must be a number of minutes, at most 1440.');
}

const program = new Command('scripts/soak')
  .description(
    'Runs clients, owners and random faults on a separate stack for a long time, checks what was recorded against every guarantee, and prints a report.',
  )
  .option('--minutes <number>', 'how long', minutesFrom, 60)
  .addOption(seedOption('random'))
  .allowExcessArguments(false)
  .parse();
const { minutes, seed } = program.opts<{ minutes: number; seed: number }>();

await installMissingPrograms();
const directory = path.join(PROJECT_ROOT, '.stack');
const run = beginRun('soak');
const report = path.join(directory, 'soak.md');
rmSync(report, { force: true });
const totals = await runJest({
  limitMs: (minutes + LEEWAY_MINUTES) * 60_000,
  args: [
    '--config=scripts/jest.config.mjs',
    '--selectProjects',
    'sys',
    '--',
    'system-tests/dist/faults\\.sys',
  ],
  reportFile: path.join(run.scratch, 'jest.json'),
  env: { FAULT_MINUTES: String(minutes), SEED: String(seed), SOAK_REPORT: report },
});
run.remove();
if (existsSync(report))
  process.stdout.write(`\n${readFileSync(report, 'utf8')}\nThe report is in ${report}\n`);
process.exit(totals.succeeded && totals.passed > 0 ? 0 : 1);
