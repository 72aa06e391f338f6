import { existsSync, statSync } from 'node:fs';
import {
  type LocalProgram,
  signalGroup,
  startLocalProcess,
  untilUp,
} from '@partner/test-kit/backing-services/local-process';
import {
  descendantsOf,
  identifyProcess,
  isProcessRunning,
} from '@partner/test-kit/backing-services/process-identity';
import { hasEndedWithin } from './stack-lock.js';
import type { ProcessRecord } from './stack-state.js';

/** The variable that identifies every process of a stack; its value is the stack's directory. */
export const STACK_VARIABLE = 'PARTNER_STACK';

export interface StackProcess {
  readonly name: string;
  readonly logFile: string;
  readonly pid: number | undefined;
  /** Starts it unless it runs. Does not wait until it is ready. Starts nothing once `signal` is aborted. */
  start(signal?: AbortSignal): Promise<void>;
  /** Resolves once it is ready. Rejects with the end of its log if it ends or takes too long. */
  ready(signal?: AbortSignal): Promise<void>;
  /** Sends a signal to it and its children. After SIGKILL it resolves once all of them have ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

export interface ProcessRecords {
  get(name: string): ProcessRecord | undefined;
  set(name: string, record: ProcessRecord): void;
}

/** Creates the handle of one process of a stack; takes over a process that an earlier `scripts/up` has started. */
export function createStackProcess(options: {
  readonly directory: string;
  readonly program: LocalProgram;
  readonly detached: boolean;
  readonly records: ProcessRecords;
}): StackProcess {
  const { program, records } = options;
  let logStart = 0;

  function running(): ProcessRecord | undefined {
    const record = records.get(program.name);
    return record !== undefined && isProcessRunning(record) ? record : undefined;
  }

  return {
    name: program.name,
    logFile: program.logFile,
    get pid() {
      return running()?.pid;
    },
    async start(signal) {
      if (running() !== undefined) return;
      await program.prepare?.();
      signal?.throwIfAborted();
      logStart = existsSync(program.logFile) ? statSync(program.logFile).size : 0;
      const env = { ...program.env, [STACK_VARIABLE]: options.directory };
      const { pid } = startLocalProcess({ ...program, env }, options.detached);
      records.set(program.name, {
        pid,
        startedAt: identifyProcess(pid)?.startedAt ?? 'ended',
        stopSignal: program.stopSignal === 'SIGINT' ? 'SIGINT' : 'SIGTERM',
        stopGraceMs: program.stopGraceMs,
      });
    },
    ready: (signal) => untilUp(program, () => running() !== undefined, { fromByte: logStart, signal }),
    async kill(signal) {
      const record = running();
      if (record === undefined) return;
      // Some programs put their children into separate groups; the children receive other signals from their parent.
      const below = ['SIGKILL', 'SIGSTOP', 'SIGCONT'].includes(signal)
        ? descendantsOf(record.pid).flatMap((pid) => identifyProcess(pid) ?? [])
        : [];
      signalGroup(record.pid, signal);
      for (const { pid } of below.filter(isProcessRunning)) {
        try {
          process.kill(pid, signal);
        } catch {
          // It ended with its group.
        }
      }
      if (signal === 'SIGKILL') {
        await Promise.all([record, ...below].map((killed) => hasEndedWithin(killed, 10_000)));
      }
    },
    async stop() {
      const record = running();
      if (record !== undefined) await endProcess(record);
    },
  };
}

/** Asks a process to end, and kills it and its group after the grace period. Does nothing if it has ended. */
export async function endProcess(record: ProcessRecord): Promise<void> {
  if (!isProcessRunning(record)) return;
  signalGroup(record.pid, record.stopSignal);
  // A stopped process would not handle SIGTERM.
  signalGroup(record.pid, 'SIGCONT');
  await hasEndedWithin(record, record.stopGraceMs);
  signalGroup(record.pid, 'SIGKILL');
  await hasEndedWithin(record, 10_000);
}
