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
import {
  type BenchReceiver,
  type ReceiverThread,
  startBenchReceiver,
  startReceiverThread,
} from './bench-receiver.js';
import { enableStatementCounter } from './postgres-counters.js';

/** Host name of the receiver in this process. */
export const HEALTHY_HOST = `healthy.${RECEIVER_HOST}`;
/** Host names of the other receiver. As in production, a slow or bursting company shares neither connections nor a server with the others. */
export const BAD_HOSTS = {
  hanging: `hanging.${RECEIVER_HOST}`,
  bursting: `bursting.${RECEIVER_HOST}`,
} as const;

/** The options of a benchmark's stack. */
export type BenchStackOptions = Pick<StackOptions, 'replicas' | 'settings'> & {
  /** Whether Postgres is as durable as users run it. Without it the tables fill faster; a comparison within one run stays valid. */
  readonly durable?: boolean;
};

/** A stack with private servers, and a receiver in this process behind the host names of subscriptions. */
export interface Bench {
  readonly stack: Stack;
  readonly receiver: BenchReceiver;
  /** The receiver behind {@link BAD_HOSTS}. */
  readonly badReceiver: ReceiverThread;
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
  const badReceiver = await startReceiverThread(certificate);
  const discard = async () => {
    await stopStack(directory);
    await removeStackData(directory);
    rmSync(directory, { recursive: true, force: true });
    await Promise.all([receiver.close(), badReceiver.close()]);
  };
  try {
    const stack = await startStack({
      ...options,
      directory,
      backingServices: { kind: 'private', durable: options.durable ?? false },
      proxyPort: 0,
      devHosts: {
        [RECEIVER_HOST]: `127.0.0.1:${receiver.port}`,
        [HEALTHY_HOST]: `127.0.0.1:${receiver.port}`,
        [BAD_HOSTS.hanging]: `127.0.0.1:${badReceiver.port}`,
        [BAD_HOSTS.bursting]: `127.0.0.1:${badReceiver.port}`,
      },
    });
    await enableStatementCounter(stack);
    return { stack, receiver, badReceiver, report, signal, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
