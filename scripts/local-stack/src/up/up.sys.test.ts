import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { processesWithVariable } from '@partner/test-kit/backing-services/process-identity';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import { webhookStatistics } from '@partner/proto-contracts/resources/statistics/statistics';
import { subscriptionList } from '@partner/proto-contracts/resources/subscription/subscription';
import { eventually } from '@partner/test-kit/eventually';
import { startReceiver } from '@partner/test-kit/receiver';
import type { z } from 'zod';
import { createStackClient } from '../demo/stack-client.js';
import { type CommandResult, runCommand } from '../run-command.js';
import { inspectStack } from '../stack/inspect-stack.js';
import { PROJECT_ROOT } from '../project-root.js';
import { stackDescription } from '../stack/stack-description.js';
import { STACK_VARIABLE } from '../stack/stack-process.js';
import { removeStackData } from '../stack/stop-stack.js';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-up-'));
});

afterAll(async () => {
  await up('--down');
  await removeStackData(directory);
  rmSync(directory, { recursive: true, force: true });
});

function up(...args: string[]): Promise<CommandResult> {
  const file = path.join(PROJECT_ROOT, 'scripts/local-stack/dist/up/up.js');
  // Without variables that name the developer's servers.
  const env = baseEnvironment();
  return runCommand(process.execPath, [file, '--directory', directory, ...args], { cwd: PROJECT_ROOT, env });
}

function description() {
  return stackDescription.parse(JSON.parse(readFileSync(path.join(directory, 'stack.json'), 'utf8')));
}

describe('scripts/up', () => {
  test('--status and --down report that nothing runs', async () => {
    await expect(up('--status')).resolves.toMatchObject({ exitCode: 1 });
    await expect(up('--down')).resolves.toMatchObject({ exitCode: 0 });
  });

  test('--port names the port that is taken', async () => {
    const taken = await startReceiver({});
    const stderr = `scripts/up: port ${taken.port} is taken or not allowed; choose another one with --port\n`;
    await expect(up('--detach', '--port', String(taken.port))).resolves.toMatchObject({
      exitCode: 1,
      stderr,
    });
    await taken.close();
  });

  test('--demo starts a stack, runs the main scenario, and can run again', async () => {
    const first = await up('--demo');
    expect(first.stderr).toBe('');
    expect(first.stdout).toContain('The main scenario works from end to end.');

    const second = await up('--demo');
    expect(second).toMatchObject({ exitCode: 0, stderr: '' });
    expect(second.stdout).toContain('the stack is already running');
    for (const { keys, owner } of description().companies) {
      for (const secret of [owner.password, ...keys.map(({ apiKey }) => apiKey)]) {
        expect(second.stdout).not.toContain(secret);
      }
    }
  });

  test('a second start changes nothing, or restarts ended processes', async () => {
    const before = description();
    const again = await up('--detach');
    expect(again.exitCode).toBe(0);
    expect(again.stdout.trim().split('\n').slice(-3).join('\n')).toBe(`\
Open      ${before.baseUrl}/console
Sign in   owner@summit.example, password summit-sandbox-owner
Next      scripts/up --tour has requests to try, scripts/up --demo runs the main scenario; scripts/up --down stops the stack.`);
    const general = before.companies.flatMap(({ keys }) => keys).find(({ kind }) => kind === 'general');
    expect(again.stdout).not.toContain(general?.apiKey);
    expect((await up('--detach', '--tour')).stdout).toContain(`-H 'x-api-key: ${general?.apiKey}'`);
    expect(description()).toEqual(before);

    const status = await inspectStack(directory);
    for (const { name, pid } of status.processes) {
      if (['job-state', 'redis', 'proxy'].includes(name)) process.kill(pid, 'SIGKILL');
    }
    await expect(up('--status')).resolves.toMatchObject({ exitCode: 1 });
    const repaired = await up('--detach');

    expect(repaired.stdout).toContain('starting what is missing');
    await expect(up('--status')).resolves.toMatchObject({ exitCode: 0 });
    const after = description();
    expect(after.services['job-state']?.pid).not.toBe(before.services['job-state']?.pid);
    expect(after.services['console']).toEqual(before.services['console']);
    expect(after.baseUrl).toBe(before.baseUrl);
  });

  test('--simulate adds a simulator, and 0 ends it', async () => {
    await expect(up('--detach', '--simulate', '60')).resolves.toMatchObject({ exitCode: 0 });
    const { processes } = await inspectStack(directory);
    expect(processes).toContainEqual(expect.objectContaining({ name: 'simulator', state: 'ready' }));

    await expect(up('--detach', '--simulate', '0')).resolves.toMatchObject({ exitCode: 0, stderr: '' });
    const after = await inspectStack(directory);
    expect(after).toMatchObject({ isReady: true });
    expect(after.processes.map(({ name }) => name)).not.toContain('simulator');
  });

  test('--reset starts anew, and gives each company webhooks with days of deliveries', async () => {
    const started = await up('--reset', '--detach');
    expect(started).toMatchObject({ exitCode: 0, stderr: '' });
    const stack = createStackClient(description(), new AbortController().signal);
    for (const company of description().companies) {
      const owner = await stack.signIn(company);
      const read = async <S extends z.ZodType>(where: string, schema: S) =>
        (await stack.call(where, owner, [200, schema])).data;
      const { subscriptions } = await read('/partner-api/webhooks', subscriptionList);
      expect(subscriptions.map(({ state }) => state)).toEqual(['active', 'active', 'active']);
      const from = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString();
      for (const { id, description: what } of subscriptions) {
        const isDown = what.includes('failing');
        const totals = async () =>
          (await read(`/partner-api/webhooks/${id}/statistics?from=${from}`, webhookStatistics)).totals;
        // The newest event is delivered by the dispatcher.
        await eventually('the newest delivery', async () => {
          const { delivered, failed } = await totals();
          return isDown ? failed > 40 : delivered === 30;
        });
        expect((await totals()).deadLettered).toBe(isDown ? 5 : 0);
        const page = await read(`/partner-api/webhooks/${id}/deliveries?status=dead_lettered`, deliveryPage);
        expect(page.deliveries).toHaveLength(isDown ? 5 : 0);
      }
    }
  });

  test('--down leaves no process behind', async () => {
    await expect(up('--down')).resolves.toMatchObject({ exitCode: 0, stderr: '' });

    expect(processesWithVariable(STACK_VARIABLE, directory)).toEqual([]);
    expect(existsSync(path.join(directory, 'stack.json'))).toBe(false);
  });
});
