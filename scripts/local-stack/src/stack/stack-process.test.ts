import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { invariant } from '@partner/kernel/process/invariant';
import type { LocalProgram } from '@partner/test-kit/backing-services/local-process';
import { identifyProcess, isProcessRunning } from '@partner/test-kit/backing-services/process-identity';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { lockHolder, thisProcess, withStackLock } from './stack-lock.js';
import { createStackProcess, endProcess, type ProcessRecords, type StackProcess } from './stack-process.js';
import { type ProcessRecord, stackFiles } from './stack-state.js';
import { stopStack } from './stop-stack.js';

let directory = '';
let records: Map<string, ProcessRecord>;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-stack-process-'));
  records = new Map();
});

afterEach(async () => {
  await stopStack(directory);
  rmSync(directory, { recursive: true, force: true });
});

const keptRecords: ProcessRecords = {
  get: (name) => records.get(name),
  set: (name, record) => void records.set(name, record),
};

/** A fake service: a script that writes `up` to its log once it is ready. */
function processOf(script: string, changes: Partial<LocalProgram> = {}): StackProcess {
  const logFile = path.join(directory, 'service.log');
  const program: LocalProgram = {
    name: 'service',
    command: process.execPath,
    args: ['-e', script],
    env: {},
    cwd: directory,
    logFile,
    isUp: async () => existsSync(logFile) && readFileSync(logFile, 'utf8').includes('up'),
    startTimeoutMs: 60_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 60_000,
    ...changes,
  };
  return createStackProcess({ directory, program, detached: false, records: keptRecords });
}

const PATIENT = `console.log('up ' + process.pid); setInterval(() => {}, 1000)`;

describe('a process of a stack', () => {
  test('that ends before it is ready reports only its output since the start', async () => {
    const once = processOf(`console.error('old trouble'); process.exit(1)`);
    await once.start();
    await expect(once.ready()).rejects.toThrow('old trouble');

    const again = processOf(`console.error('ADMIN_PORT is taken'); process.exit(1)`);
    await again.start();
    const failure = again.ready();

    await expect(failure).rejects.toThrow(
      /service has ended; the end of .*service\.log:\nADMIN_PORT is taken$/,
    );
  });

  test('that was stopped by SIGSTOP can still be ended in order', async () => {
    const service = processOf(
      `process.on('SIGTERM', () => { console.log('in order'); process.exit(0) }); ${PATIENT}`,
    );
    await service.start();
    await service.ready();
    await service.kill('SIGSTOP');

    await service.stop();

    expect(readFileSync(service.logFile, 'utf8')).toContain('in order');
  });
});

test('does not signal a recycled process number', async () => {
  const other = identifyProcess(process.pid);
  invariant(other, 'we run');

  await endProcess({ pid: other.pid, startedAt: 'earlier', stopSignal: 'SIGTERM', stopGraceMs: 10 });

  expect(isProcessRunning(other)).toBe(true);
});

test('ends a stack whose records are lost', async () => {
  const service = processOf(PATIENT);
  await service.start();
  await service.ready();
  const { pid } = service;
  invariant(pid, 'it runs');
  const identity = identifyProcess(pid);
  invariant(identity, 'it runs');

  await expect(stopStack(directory)).resolves.toBe(true);

  expect(isProcessRunning(identity)).toBe(false);
  await expect(stopStack(directory)).resolves.toBe(false);
});

test('only one process works on a stack at a time', async () => {
  await withStackLock(directory, async () => {
    expect(lockHolder(directory)).toEqual(thisProcess());
    await expect(withStackLock(directory, async () => undefined)).rejects.toThrow(
      `another scripts/up (process ${process.pid}) is already working on this stack`,
    );
  });

  expect(lockHolder(directory)).toBeUndefined();
});

test('ignores the lock of a process that has ended', async () => {
  writeFileSync(stackFiles(directory).lock, JSON.stringify({ ...thisProcess(), startedAt: 'earlier' }));

  await expect(withStackLock(directory, async () => 'done')).resolves.toBe('done');
});
