import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  identifyProcess,
  isProcessRunning,
  type ProcessIdentity,
} from '@partner/test-kit/backing-services/process-identity';
import { eventually } from '@partner/test-kit/eventually';
import { z } from 'zod';
import { readJson } from '../private-file.js';
import { StackError } from '../stack-error.js';
import { stackFiles } from './stack-state.js';

export const identity = z.object({ pid: z.int(), startedAt: z.string() });

export function thisProcess(): ProcessIdentity {
  return identifyProcess(process.pid) ?? { pid: process.pid, startedAt: 'unknown' };
}

/**
 * Runs work on a stack's directory under its lock. Throws {@link StackError} if another process works there. Ignores the
 * lock of a process that has ended.
 */
export async function withStackLock<T>(directory: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(directory, { recursive: true });
  const { lock } = stackFiles(directory);
  const holder = lockHolder(directory);
  if (holder !== undefined) {
    throw new StackError(
      `another scripts/up (process ${holder.pid}) is already working on this stack; wait for it, or stop it with scripts/up --down`,
    );
  }
  rmSync(lock, { force: true });
  try {
    writeFileSync(lock, JSON.stringify(thisProcess()), { flag: 'wx' });
  } catch {
    throw new StackError('another scripts/up has just started on this stack; retry');
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

export function lockHolder(directory: string): ProcessIdentity | undefined {
  const holder = readJson(stackFiles(directory).lock, identity);
  return holder !== undefined && isProcessRunning(holder) ? holder : undefined;
}

export function hasEndedWithin(running: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const hasEnded = () => !isProcessRunning(running);
  return eventually('the end', hasEnded, { timeoutMs, everyMs: 50 }).catch(hasEnded);
}
