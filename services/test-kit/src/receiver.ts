import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { TLSSocket } from 'node:tls';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Number of its TLS connection, from 1; 0 without TLS. */
  readonly connection: number;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver on a free port of loopback. `respond` chooses the response to each request; absent: 204. */
export async function startReceiver(options: {
  /** Both PEM. Absent: plain HTTP. */
  readonly certificate?: { readonly key: string; readonly cert: string };
  readonly host?: string;
  readonly port?: number;
  readonly respond?: (request: ReceivedRequest, response: ServerResponse) => void;
  readonly maxVersion?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  /** 48 bytes. Receivers with the same keys resume each other's sessions. Absent: new keys. */
  readonly ticketKeys?: Buffer;
}) {
  const requests: ReceivedRequest[] = [];
  /** For each TLS connection: the server name (SNI) and whether the session was resumed. */
  const connections: { servername: string | undefined; resumed: boolean }[] = [];
  const numbers = new WeakMap<object, number>();
  const server: Server =
    options.certificate === undefined
      ? createServer()
      : createTlsServer({
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
      if (options.respond === undefined) response.writeHead(204).end();
      else options.respond(received, response);
    });
  });
  server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    port: address.port,
    requests,
    connections,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
