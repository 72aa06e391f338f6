import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { removeStackData } from '@partner/local-stack/stack/stop-stack';

const PAGE = path.join(PROJECT_ROOT, 'scripts/docs/onboarding.md');

/** The shell blocks of the page, in order. */
function blocks(): readonly string[] {
  return [...readFileSync(PAGE, 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

let directory = '';

/** The commands of the checkout, without its build step: the code under test is built. */
function command(name: string, file: string): void {
  const place = path.join(directory, 'scripts', name);
  const main = path.join(PROJECT_ROOT, 'scripts', file);
  writeFileSync(place, `#!/bin/sh\nexec '${process.execPath}' --enable-source-maps '${main}' "$@"\n`);
  chmodSync(place, 0o755);
}

const stackDirectory = () => path.join(directory, 'stack');
const env = () => ({
  ...baseEnvironment(),
  PARTNER_STACK_DIRECTORY: stackDirectory(),
});

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-onboarding-'));
  mkdirSync(path.join(directory, 'scripts'));
  command('up', 'local-stack/dist/up.js');
  command('partnerctl', 'partnerctl-cli/dist/main.js');
});
afterAll(async () => {
  await runCommand(path.join(directory, 'scripts/up'), ['--down'], { cwd: directory, env: env() });
  await removeStackData(stackDirectory());
  rmSync(directory, { recursive: true, force: true });
});

test('the commands of scripts/docs/onboarding.md take a company from nothing to its first verified webhook', async () => {
  expect(blocks().length).toBeGreaterThanOrEqual(7);
  // A mark after each block, so that a failure shows the last finished one.
  const script = blocks()
    .map((block, index) => `${block}\necho "block ${index + 1} done"`)
    .join('\n');

  const { exitCode, stdout, stderr } = await runCommand('bash', ['-euc', script], {
    cwd: directory,
    env: env(),
    timeoutMs: 600_000,
  });

  const failure = exitCode === 0 ? '' : `${stdout.slice(-3_000)}\n${stderr}`;
  expect({ exitCode, failure }).toEqual({ exitCode: 0, failure: '' });
  expect(stdout).toContain(`block ${blocks().length} done`);
  expect(stdout).toMatch(/install\.job_assigned .*"version":1\} verified, returned 200/);
  expect(stdout).toMatch(/install\.status_changed .*"version":2\} verified, returned 200/);
  expect(stdout).toContain('2 events have verified.');
});
