import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { installMissingPrograms } from '@partner/local-stack/backing-services/install-missing-programs';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { runJest, seedOption } from './run-jest.js';
import { beginRun } from './test-run.js';

/** Of what a run takes besides its span: start, the end of all retries, and the checks. */
const LEEWAY_MINUTES = 30;

function hoursFrom(text: string): number {
  const hours = Number(text);
  if (hours > 0 && hours <= 24) return hours;
  throw new InvalidArgumentError('It must be a number of hours, at most 24.');
}

const program = new Command('scripts/soak')
  .description(
    'Runs clients, owners and receivers on a separate stack for a long time, checks what was recorded against every guarantee, and prints a report.',
  )
  .option('--hours <number>', 'how long', hoursFrom, 1)
  .option('--faults', 'kill, pause, disconnect and restart every process and server at random', false)
  .addOption(seedOption('random'))
  .allowExcessArguments(false)
  .parse();
const { hours, faults, seed } = program.opts<{ hours: number; faults: boolean; seed: number }>();

await installMissingPrograms();
const directory = path.join(PROJECT_ROOT, '.stack');
const run = beginRun('soak');
const report = path.join(directory, 'soak.md');
rmSync(report, { force: true });
const totals = await runJest({
  limitMs: Math.round((hours * 60 + LEEWAY_MINUTES) * 60_000),
  args: [
    '--config=scripts/jest.config.mjs',
    '--selectProjects',
    'sys',
    '--',
    'system-tests/dist/faults\\.sys',
  ],
  reportFile: path.join(run.scratch, 'jest.json'),
  env: {
    ...{ SOAK_HOURS: String(hours), SEED: String(seed), SOAK_REPORT: report },
    ...(faults ? { SOAK_FAULTS: 'yes' } : {}),
  },
});
run.remove();
if (existsSync(report))
  process.stdout.write(`\n${readFileSync(report, 'utf8')}\nThe report is in ${report}\n`);
process.exit(totals.succeeded && totals.passed > 0 ? 0 : 1);
