import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { lockHolder, thisProcess, withStackLock } from './stack-lock.js';
import { stackFiles } from './stack-state.js';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-stack-lock-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

test('only one process works on a stack at a time', async () => {
  await withStackLock(directory, async () => {
    expect(lockHolder(directory)).toEqual(thisProcess());
    await expect(withStackLock(directory, async () => undefined)).rejects.toThrow(
      `another scripts/up (process ${process.pid}) is at work on this stack`,
    );
  });

  expect(lockHolder(directory)).toBeUndefined();
});

test('releases the stack when work fails', async () => {
  await expect(withStackLock(directory, () => Promise.reject(new Error('no')))).rejects.toThrow('no');

  await expect(withStackLock(directory, async () => 'done')).resolves.toBe('done');
});

test('ignores the lock of a process that has ended', async () => {
  writeFileSync(stackFiles(directory).lock, JSON.stringify({ ...thisProcess(), startedAt: 'earlier' }));

  await expect(withStackLock(directory, async () => 'done')).resolves.toBe('done');
});
