import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { closeServer, listen } from '@partner/kernel/listen';
import type { TLSSocket } from 'node:tls';
import type { TestCertificate } from './test-certificates.js';

/** A request as a receiver got it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Number of the connection that it came on, from 1. */
  readonly connection: number;
}

/** An HTTPS server on loopback that keeps what it gets. */
export interface TlsReceiver {
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** For each connection: the name that was asked for in the handshake, and whether a session was resumed. */
  readonly connections: readonly { readonly servername: string | undefined; readonly resumed: boolean }[];
  close(): Promise<void>;
}

/** Starts a receiver on a free port. `answer` decides what each request gets; absent: 204. */
export async function startTlsReceiver(options: {
  readonly certificate: TestCertificate;
  readonly host?: string;
  readonly port?: number;
  readonly answer?: (request: ReceivedRequest, response: ServerResponse) => void;
  readonly maxVersion?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  /** 48 bytes; receivers that share them resume each other's sessions. Absent: keys of its own. */
  readonly ticketKeys?: Buffer;
}): Promise<TlsReceiver> {
  const requests: ReceivedRequest[] = [];
  const connections: { servername: string | undefined; resumed: boolean }[] = [];
  const numbers = new WeakMap<object, number>();
  const server = createServer({
    ...options.certificate,
    minVersion: 'TLSv1',
    maxVersion: options.maxVersion ?? 'TLSv1.3',
    ...(options.ticketKeys !== undefined && { ticketKeys: options.ticketKeys }),
    ...(options.maxVersion === 'TLSv1.1' && { ciphers: 'DEFAULT@SECLEVEL=0' }),
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const servername: unknown = Reflect.get(socket, 'servername');
    connections.push({
      servername: typeof servername === 'string' ? servername : undefined,
      resumed: socket.isSessionReused(),
    });
    numbers.set(socket, connections.length);
  });
  server.on('request', (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
        connection: numbers.get(request.socket) ?? 0,
      };
      requests.push(received);
      if (options.answer === undefined) response.writeHead(204).end();
      else options.answer(received, response);
    });
  });
  const port = await listen(server, {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    variable: 'test',
  });
  return {
    port,
    requests,
    connections,
    async close() {
      server.closeAllConnections();
      await closeServer(server);
    },
  };
}
