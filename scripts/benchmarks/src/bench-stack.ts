import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { installMissingPrograms } from '@partner/local-stack/backing-services/install-missing-programs';
import type { Progress } from '@partner/local-stack/terminal';
import { ensureCertificates } from '@partner/local-stack/receiver/certificates';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { RECEIVER_HOST } from '@partner/local-stack/stack/receiver-hosts';
import type { StackOptions } from '@partner/local-stack/stack/stack-plan';
import { startStack } from '@partner/local-stack/stack/start-stack';
import { stackFiles } from '@partner/local-stack/stack/stack-state';
import { removeStackData, stopStack } from '@partner/local-stack/stack/stop-stack';
import { enableStatementCounter } from './postgres-counters.js';

export type BenchStackOptions = Pick<StackOptions, 'replicas' | 'settings'> & {
  readonly durable?: boolean;
};

export type Bench = Awaited<ReturnType<typeof startBenchStack>>;

/**
 * Starts a stack for benchmarks with private servers, and a receiver in this process that keeps no more than it must. If the start
 * fails, nothing of it remains.
 */
export async function startBenchStack(
  options: BenchStackOptions & { readonly report: Progress; readonly signal: AbortSignal },
) {
  const { report, signal } = options;
  await installMissingPrograms(report);
  const root = path.join(PROJECT_ROOT, '.stack');
  mkdirSync(root, { recursive: true });
  const directory = mkdtempSync(path.join(root, 'bench-'));
  const { keyFile, certificateFile } = await ensureCertificates(
    stackFiles(directory).receiver,
    RECEIVER_HOST,
  );
  const arrivals: { readonly eventId: string; readonly at: number }[] = [];
  let connections = 0;
  const receiver = createServer(
    { key: readFileSync(keyFile), cert: readFileSync(certificateFile), keepAliveTimeout: 60_000 },
    (request, response) => {
      request.resume().on('end', () => {
        const { 'webhook-id': eventId } = request.headers;
        if (typeof eventId === 'string') arrivals.push({ eventId, at: performance.now() });
        response.writeHead(204).end();
      });
    },
  ).on('secureConnection', () => (connections += 1));
  const receiverPort = await listen(receiver, { host: '127.0.0.1', port: 0, variable: 'receiver' });
  const discard = async () => {
    await stopStack(directory);
    await removeStackData(directory);
    rmSync(directory, { recursive: true, force: true });
    receiver.closeAllConnections();
    await closeServer(receiver);
  };
  try {
    const stack = await startStack({
      ...options,
      directory,
      backingServices: { kind: 'private', durable: options.durable ?? false },
      proxyPort: 0,
      devHosts: { [RECEIVER_HOST]: `127.0.0.1:${receiverPort}` },
    });
    await enableStatementCounter(stack);
    return { stack, receiverPort, arrivals, connections: () => connections, report, signal, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
