import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { closeServer, listen } from '@partner/kernel/process/listen';
import type { CertificateFiles } from '@partner/local-stack/receiver/certificates';

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
