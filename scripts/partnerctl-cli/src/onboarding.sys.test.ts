import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { PROJECT_ROOT, readProjectFile } from '@partner/local-stack/project-root';
import { lastLines, runCommand } from '@partner/local-stack/run-command';
import { removeStackData } from '@partner/local-stack/stack/stop-stack';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';

/** A root with the programs of the checkout, without its build steps: the code under test is built. */
const root = mkdtempSync(path.join(tmpdir(), 'partner-onboarding-'));
const stackDirectory = path.join(root, '.stack');

function program(name: string, command: string): void {
  writeFileSync(path.join(root, name), `#!/bin/sh\n${command}\n`);
  chmodSync(path.join(root, name), 0o755);
}

for (const folder of ['bin', 'scripts']) mkdirSync(path.join(root, folder));
symlinkSync(path.join(PROJECT_ROOT, 'node_modules'), path.join(root, 'node_modules'));
for (const [name, main] of [
  ['scripts/up', 'local-stack/dist/up.js'],
  ['scripts/partnerctl', 'partnerctl-cli/dist/main.js'],
] as const)
  program(name, `exec '${process.execPath}' '${path.join(PROJECT_ROOT, 'scripts', main)}' "$@"`);
// The stack has private servers.
program('bin/docker', 'exit 1');

const run = (script: string) =>
  runCommand('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    env: {
      ...baseEnvironment(),
      PATH: `${path.join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: root,
      PARTNER_STACK_DIRECTORY: stackDirectory,
    },
    timeoutMs: 840_000,
  });

afterAll(async () => {
  await run('scripts/up --down');
  await removeStackData(stackDirectory);
  rmSync(root, { recursive: true, force: true });
});

test('the printed commands of the onboarding take a company from nothing to its first verified webhook', async () => {
  const page = readProjectFile('scripts/docs/onboarding.md');
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(6);
  const result = await run(blocks.join('\n'));
  expect(result.exitCode === 0 ? '' : lastLines(result, 40)).toBe('');
  for (const event of ['install.job_assigned', 'install.status_changed'])
    expect(result.stdout).toMatch(new RegExp(`"x-svc-event":"${event}".*"verified":true,.*"status":200`));
  expect(result.stdout).toMatch(
    /to olive@peak\.example: Set a new password\n {2}http:.*\/console\/set-password/,
  );
});
