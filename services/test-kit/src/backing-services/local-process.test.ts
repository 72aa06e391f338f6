import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { eventually } from '../eventually.js';
import { freePort, type LocalProgram, startLocalProgram, takePort } from './local-process.js';
import {
  descendantsOf,
  identifyProcess,
  isProcessRunning,
  processesWithVariable,
} from './process-identity.js';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-local-process-'));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function nodeProgram(name: string, script: string, stopGraceMs = 10_000): LocalProgram {
  const logFile = path.join(directory, `${name}.log`);
  return {
    name,
    command: process.execPath,
    args: ['-e', script],
    env: { MARK: directory },
    cwd: directory,
    logFile,
    isUp: async () => readFileSync(logFile, 'utf8').includes('up'),
    startTimeoutMs: 20_000,
    stopSignal: 'SIGTERM',
    stopGraceMs,
  };
}

describe('startLocalProgram', () => {
  test('runs a program that is found by its variable and stops on request', async () => {
    const program = nodeProgram('patient', `console.log('up'); setInterval(() => {}, 1000)`);
    const local = await startLocalProgram(program);

    const identity = identifyProcess(local.pid);
    if (identity === undefined) throw new Error('the process does not run');
    expect(processesWithVariable('MARK', directory)).toContainEqual(identity);
    expect(descendantsOf(process.pid)).toContain(local.pid);

    await local.stop();
    expect(isProcessRunning(identity)).toBe(false);
  });

  test('reports the output of a program that ends before it is up', async () => {
    const program = nodeProgram('hasty', `console.error('the port is taken'); process.exit(1)`);

    await expect(startLocalProgram(program)).rejects.toThrow(
      /hasty has ended; the end of .*hasty\.log:\nthe port is taken/,
    );
  });

  test('kills a program that ignores the stop signal', async () => {
    const program = nodeProgram(
      'stubborn',
      `process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)`,
      50,
    );
    const local = await startLocalProgram(program);

    await local.stop();

    expect(identifyProcess(local.pid)).toBeUndefined();
  });
});

test('a zombie does not count as running', async () => {
  // The shell is replaced by a program that never waits for its inherited child. The child ends after that, because the
  // shell itself would wait for it.
  const child = 'until ps -o comm= -p $PPID | grep -q sleep; do :; done';
  const parent = spawn('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (line: Buffer) => resolve(Number(line.toString())));
  });
  await eventually('the end of the child', () => identifyProcess(pid) === undefined);

  expect(() => process.kill(pid, 0)).not.toThrow();

  parent.kill('SIGKILL');
});

test('a later process with the same id is another process', () => {
  const identity = identifyProcess(process.pid);
  if (identity === undefined) throw new Error('this process does not run');

  expect(isProcessRunning(identity)).toBe(true);
  expect(isProcessRunning({ ...identity, startedAt: 'earlier' })).toBe(false);
});

test('a port that another process has reserved is not returned here while that process runs', async () => {
  const place = JSON.stringify(new URL('./local-process.js', import.meta.url).href);
  // Both begin with the same candidate. Another run of this test begins with another one.
  const first = (process.pid % 10_000) / 10_000;
  const program = `const random = Math.random;
    Math.random = () => (Math.random = random, ${first});
    import(${place}).then(async ({ freePort }) => process.stdout.write(String(await freePort())));
    process.stdin.resume();`;
  const other = spawn(process.execPath, ['--eval', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const given = await once(other.stdout, 'data').then(([said]: unknown[]) => Number(String(said)));

  const random = jest.spyOn(Math, 'random').mockReturnValueOnce(first);
  const port = await freePort();
  random.mockRestore();

  expect(port).not.toBe(given);
  await expect(takePort(given)).resolves.toBe(false);
  await expect(takePort(port)).resolves.toBe(true);
  other.kill();
  await once(other, 'close');
  await expect(takePort(given)).resolves.toBe(true);
});
