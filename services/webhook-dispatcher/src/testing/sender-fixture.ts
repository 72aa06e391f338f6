import { once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, expect } from '@jest/globals';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import type { After } from '@partner/kernel/process/timers';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { sentUrl } from '@partner/proto-contracts/resources/subscription/endpoint-url';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';
import { type ConnectionPool, createConnectionPool } from '../connection-pool.js';
import type { DialTarget, EndpointGuard } from '../endpoint-guard.js';
import { createHttpsSender, type PostResult } from '../https-sender.js';
import { createTestAuthority } from './test-certificates.js';

/** Host name of the receivers in the tests' URLs. */
export const HOST = 'receiver.partner.test';

export const POOL = { concurrency: 500 } as const;

export const authority = await createTestAuthority();
export const certificate = await authority.issue({ names: [HOST] });

/** Run after each test, the last one first. */
export const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Starts a receiver with the certificate of {@link HOST}. */
export async function receiver(
  options: Partial<Parameters<typeof startReceiver>[0]> = {},
): Promise<Receiver> {
  const started = await startReceiver({ certificate, ...options });
  cleanups.push(() => started.close());
  return started;
}

/** Creates a pool that trusts the test authority. */
export function testPool(changes: Partial<Parameters<typeof createConnectionPool>[0]> = {}): ConnectionPool {
  return createConnectionPool({ ...POOL, extraCa: authority.pem, ...changes });
}

let ofTest: ConnectionPool | undefined;

/** Returns one pool for all servers of a test. To create one takes much longer than a handshake: it reads all authorities. */
export function poolOfTest(): ConnectionPool {
  if (ofTest === undefined) cleanups.push(() => (ofTest = undefined));
  ofTest ??= testPool();
  return ofTest;
}

/**
 * A TLS server that writes whatever the test chooses; `reset` drops the connection without a close, `breakTls` writes bytes
 * that are not TLS.
 */
export async function rawTlsServer(
  onConnection: (socket: TLSSocket, reset: () => void, breakTls: () => void) => void,
) {
  const sockets = new Set<Socket>();
  const server = createTlsServer(certificate, (socket) => {
    socket.on('error', () => undefined);
    spoken.add(socket);
    const below = (act: (raw: Socket) => void) => () => {
      for (const raw of sockets) if (raw.remotePort === socket.remotePort) act(raw);
    };
    onConnection(
      socket,
      below((raw) => raw.resetAndDestroy()),
      below((raw) => raw.write('not TLS '.repeat(100))),
    );
  });
  const spoken = new Set<TLSSocket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  const { port } = await listening(server, sockets);
  return {
    port,
    connections: () => sockets.size,
    /** Ends every connection with a proper close. */
    end() {
      for (const socket of spoken) socket.end();
    },
    /** Drops every connection. The client's system has seen it when this returns. */
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

/** Returns the connections of a pool that are not closed, in use or kept. */
export function openSockets({ agent }: ConnectionPool): readonly Socket[] {
  return [...Object.values(agent.sockets), ...Object.values(agent.freeSockets)].flatMap(
    (sockets) => sockets ?? [],
  );
}

/** Resolves when the pool keeps a connection for another POST. */
export async function idleConnectionIn({ agent }: ConnectionPool): Promise<void> {
  if (Object.keys(agent.freeSockets).length === 0) await once(agent, 'free');
}

/** Resolves when every connection of the pool is closed: its agent removes one on `close`. */
export async function allClosed(pool: ConnectionPool): Promise<void> {
  await Promise.all(
    openSockets(pool).map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))),
  );
  expect(openSockets(pool).length).toBe(0);
}

export async function rawTcpServer(onConnection: (socket: Socket) => void): Promise<{ port: number }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  return listening(server, sockets);
}

async function listening(
  server: ReturnType<typeof createTcpServer>,
  sockets: ReadonlySet<Socket>,
): Promise<{ port: number }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** Ports of loopback without a server. No system gives them to a server that asks for a free port. */
export const CLOSED_PORTS = [1, 2, 3, 4] as const;

/** Returns a guard that admits the URL with these targets, as if DNS had returned them. */
export function guardAdmitting(targets: () => readonly DialTarget[], hostName = HOST): EndpointGuard {
  return {
    async admit(text) {
      const url = sentUrl(text);
      return url === undefined
        ? { admitted: false, cause: 'url' }
        : { admitted: true, endpoint: { url, hostName, targets: targets() } };
    },
  };
}

export const loopback = (port: number): EndpointGuard =>
  guardAdmitting(() => [{ address: '127.0.0.1', port }]);

export function senderFor(
  guard: EndpointGuard,
  { after }: { readonly after: After } = createManualTimers(),
  pool: ConnectionPool = poolOfTest(),
) {
  cleanups.push(() => pool.close());
  const sender = createHttpsSender({ guard, pool, after });
  return (
    change: { url?: string; headers?: Record<string, string>; body?: Uint8Array } = {},
  ): Promise<PostResult> =>
    sender.post({ url: `https://${HOST}/hook`, headers: {}, body: Buffer.from('{"a":1}'), ...change });
}

/** A time limit that passes when the test chooses, independent of the duration of a handshake. */
export function heldLimit() {
  const timers = createManualTimers();
  return { limit: { after: timers.after }, endTime: () => timers.pass(LIMITS.webhookTimeoutMs) };
}

/** Calls back after a client of this process has read the head of a response. */
export function onceResponseBegan(then: () => void): void {
  const channel = 'http.client.response.finish';
  const began = () => {
    unsubscribe(channel, began);
    setImmediate(then);
  };
  subscribe(channel, began);
  cleanups.push(() => void unsubscribe(channel, began));
}

export const responseOf = (result: PostResult) => ('response' in result ? result.response : undefined);
export const errorOf = (result: PostResult) => ('error' in result ? result.error : undefined);
export const addressOf = (result: PostResult) =>
  'remoteAddress' in result ? result.remoteAddress : undefined;
