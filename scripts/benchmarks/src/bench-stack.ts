import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { installMissingPrograms } from '@partner/local-stack/backing-services/install-missing-programs';
import type { Progress } from '@partner/local-stack/progress';
import { ensureCertificates } from '@partner/local-stack/receiver/certificates';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import type { StackOptions } from '@partner/local-stack/stack/stack-plan';
import { type Stack, startStack } from '@partner/local-stack/stack/start-stack';
import { stackFiles } from '@partner/local-stack/stack/stack-state';
import { removeStackData, stopStack } from '@partner/local-stack/stack/stop-stack';
import { type BenchReceiver, startBenchReceiver } from './bench-receiver.js';
import { enableStatementCounter } from './postgres-counters.js';

/** The options of a benchmark's stack. */
export type BenchStackOptions = Pick<StackOptions, 'replicas' | 'settings'> & {
  /** Whether Postgres is as durable as users run it. */
  readonly durable?: boolean;
};

/** A stack with private servers, and a receiver in this process behind the host names of subscriptions. */
export interface Bench {
  readonly stack: Stack;
  readonly receiver: BenchReceiver;
  readonly report: Progress;
  readonly signal: AbortSignal;
  /** Ends the stack and removes its data. */
  discard(): Promise<void>;
}

/** Starts a stack for benchmarks. If the start fails, nothing of it remains. */
export async function startBenchStack(
  options: BenchStackOptions & Pick<Bench, 'report' | 'signal'>,
): Promise<Bench> {
  const { report, signal } = options;
  await installMissingPrograms(report);
  const root = path.join(PROJECT_ROOT, '.stack');
  mkdirSync(root, { recursive: true });
  const directory = mkdtempSync(path.join(root, 'bench-'));
  const certificate = await ensureCertificates(stackFiles(directory).receiver, RECEIVER_HOST);
  const receiver = await startBenchReceiver(certificate);
  const discard = async () => {
    await stopStack(directory);
    await removeStackData(directory);
    rmSync(directory, { recursive: true, force: true });
    await receiver.close();
  };
  try {
    const stack = await startStack({
      ...options,
      directory,
      backingServices: { kind: 'private', durable: options.durable ?? false },
      proxyPort: 0,
      devHosts: {
        [RECEIVER_HOST]: `127.0.0.1:${receiver.port}`,
      },
    });
    await enableStatementCounter(stack);
    return { stack, receiver, report, signal, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
