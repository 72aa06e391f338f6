import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { findRabbitmq, rabbitmqPrograms } from '@partner/test-kit/backing-services/rabbitmq';
import { type CommandResult, lastLines, runCommand } from '@partner/local-stack/run-command';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { readStackState } from '@partner/local-stack/stack/stack-state';
import { removeStackData } from '@partner/local-stack/stack/stop-stack';
import { ensureHelm } from '../ensure-helm.js';

/** The root of a checkout, in which the commands of pages run. */
export type PageWorld = Awaited<ReturnType<typeof createPageWorld>>;

/**
 * Creates a root with the programs of the checkout, without its build steps: the code under test is built. Nothing runs yet.
 * `python` makes the environment that a developer installs the Python client into; absent: there is none.
 */
export async function createPageWorld(python?: string) {
  const root = mkdtempSync(path.join(tmpdir(), 'partner-pages-'));
  const stackDirectory = path.join(root, '.stack');
  // Outside of the root, whose packages npm would find.
  const client = mkdtempSync(path.join(tmpdir(), 'partner-client-'));
  const bin = path.join(root, 'bin');
  for (const folder of ['bin', 'scripts']) mkdirSync(path.join(root, folder));
  // Helm writes to it.
  cpSync(path.join(PROJECT_ROOT, 'charts'), path.join(root, 'charts'), { recursive: true });
  for (const entry of ['proto-contracts', 'node_modules', 'package.json'])
    symlinkSync(path.join(PROJECT_ROOT, entry), path.join(root, entry));

  function program(place: string, command: string): void {
    const file = path.join(root, place);
    writeFileSync(file, `#!/bin/sh\n${command}\n`);
    chmodSync(file, 0o755);
  }
  const ours = (main: string) =>
    `exec '${process.execPath}' --enable-source-maps '${path.join(PROJECT_ROOT, 'scripts', main)}' "$@"`;
  program('scripts/up', ours('local-stack/dist/up/up.js'));
  program('scripts/partnerctl', ours('partnerctl-cli/dist/program/main.js'));
  program('bin/helm', `exec '${await ensureHelm()}' "$@"`);
  // The stack has private servers, which the commands of RabbitMQ reach.
  for (const name of ['docker', 'rabbitmqctl', 'rabbitmq-diagnostics']) program(`bin/${name}`, 'exit 1');
  // The end of a pipe; every other use is left out.
  program('bin/kubectl', `test "$1" = apply && grep -q '^kind: Job$'`);
  writeFileSync(
    path.join(root, 'yours.yaml'),
    'image: { repository: registry.example.com/partner/job-state }\n',
  );

  const env = {
    ...baseEnvironment(),
    PATH: `${bin}:${path.join(root, 'python/bin')}:${process.env['PATH'] ?? ''}`,
    HOME: root,
    PARTNER_STACK_DIRECTORY: stackDirectory,
    HELM_CACHE_HOME: path.join(root, 'helm'),
  };

  function run(
    script: string,
    more: Readonly<Record<string, string>> = {},
    cwd = root,
  ): Promise<CommandResult> {
    return runCommand('bash', ['-euo', 'pipefail', '-c', script], {
      cwd,
      env: { ...env, ...more },
      timeoutMs: 600_000,
    });
  }
  if (python !== undefined) await runCommand(python, ['-m', 'venv', path.join(root, 'python')]);
  return {
    run,
    /** Runs a script in a new empty folder, with the settings of this user for npm and pip. */
    runOfClient: (script: string, more: Readonly<Record<string, string>>) =>
      run(script, { ...more, HOME: homedir() }, mkdtempSync(path.join(client, 'page-'))),
    stackDirectory,
    /** Runs a script that must succeed, and returns its output without the last line end. */
    async outputOf(script: string): Promise<string> {
      const result = await run(script);
      if (result.exitCode !== 0) throw new Error(`${script}\n${lastLines(result)}`);
      return result.stdout.trimEnd();
    },
    /** Lets `rabbitmqctl` reach the broker of the running stack. */
    addRabbitmqPrograms(): void {
      const { rabbitmq } = readStackState(stackDirectory)?.plan.backingServices ?? {};
      if (rabbitmq?.kind !== 'private') throw new Error('the stack has no private broker');
      const { controlEnv } = rabbitmqPrograms({
        directory: path.join(stackDirectory, 'rabbitmq'),
        port: rabbitmq.port,
        portMapperPort: rabbitmq.portMapperPort ?? 0,
        distributionPort: rabbitmq.distributionPort ?? 0,
      });
      const settings = Object.entries(controlEnv).map(([name, value]) => `export ${name}='${value}'\n`);
      for (const name of ['rabbitmqctl', 'rabbitmq-diagnostics']) {
        const place = path.join(path.dirname(findRabbitmq()?.server ?? ''), name);
        program(`bin/${name}`, `${settings.join('')}exec '${place}' "$@"`);
      }
    },
    async remove(): Promise<void> {
      await run('scripts/up --down');
      await removeStackData(stackDirectory);
      for (const folder of [root, client]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
