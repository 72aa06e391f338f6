import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { closeServer, listen } from '@partner/kernel/listen';
import type { CertificateFiles } from '@partner/local-stack/receiver/certificates';
import { z } from 'zod';

/** Requests to paths below it receive no response. */
export const HANGING_PATH = '/hang/';

/** A minimal subscriber's server: it reads each request and responds with 204. */
export interface BenchReceiver {
  readonly port: number;
  /** Number of connections opened so far. */
  readonly connections: number;
  /** Called with the event's id once a request is read. */
  onReceived: (eventId: string) => void;
  close(): Promise<void>;
}

/** Starts the receiver over TLS on loopback. */
export async function startBenchReceiver(certificate: CertificateFiles): Promise<BenchReceiver> {
  const options = {
    key: readFileSync(certificate.keyFile, 'utf8'),
    cert: readFileSync(certificate.certificateFile, 'utf8'),
    keepAliveTimeout: 60_000,
  };
  const server = createServer(options, (request, response) => {
    request.resume();
    request.on('end', () => {
      if (request.url?.startsWith(HANGING_PATH) === true) return;
      const { 'webhook-id': eventId } = request.headers;
      if (typeof eventId === 'string') receiver.onReceived(eventId);
      response.writeHead(204).end();
    });
  });
  let connections = 0;
  server.on('secureConnection', () => {
    connections += 1;
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'receiver' });
  const receiver: BenchReceiver = {
    port,
    get connections() {
      return connections;
    },
    onReceived: () => undefined,
    async close() {
      server.closeAllConnections();
      await closeServer(server);
    },
  };
  return receiver;
}

/** A receiver in a separate thread: its requests delay neither the other receiver nor the clock of a benchmark. */
export type ReceiverThread = Awaited<ReturnType<typeof startReceiverThread>>;

/** Starts a receiver over TLS on loopback in a separate thread. */
export async function startReceiverThread(certificate: CertificateFiles) {
  const worker = new Worker(path.join(import.meta.dirname, 'receiver-worker.js'), {
    workerData: certificate,
  });
  const nextNumber = async () => z.tuple([z.int()]).parse(await once(worker, 'message'))[0];
  return {
    port: await nextNumber(),
    /** Returns the number of different events received so far. */
    countReceived() {
      worker.postMessage('count');
      return nextNumber();
    },
    async close() {
      await worker.terminate();
    },
  };
}
