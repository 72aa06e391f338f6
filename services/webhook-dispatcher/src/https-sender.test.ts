import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createTcpServer, Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import type { After } from '@partner/kernel/timers';
import { type ConnectionPool, createConnectionPool } from './connection-pool.js';
import { createEndpointGuard, type DialTarget, type EndpointGuard } from './endpoint-guard.js';
import { createHostResolver } from './host-resolver.js';
import { createHttpsSender, type PostResult } from './https-sender.js';
import { addressRecords, startDnsServer } from './testing/dns-server.js';
import {
  createTestAuthority,
  type TestAuthority,
  type TestCertificate,
} from './testing/test-certificates.js';
import { type Receiver, startReceiver } from '@partner/test-kit/receiver';

const HOST = 'receiver.partner.test';
const LONG_MS = 10_000;

let authority: TestAuthority;
let certificate: TestCertificate;
const cleanups: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  authority = await createTestAuthority();
  certificate = await authority.issue({ names: [HOST] });
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function receiver(options: Partial<Parameters<typeof startReceiver>[0]> = {}): Promise<Receiver> {
  const started = await startReceiver({ certificate, ...options });
  cleanups.push(() => started.close());
  return started;
}

/** A TLS server that writes whatever the test chooses; `reset` drops the connection without a close. */
async function rawTlsServer(
  onConnection: (socket: TLSSocket, reset: () => void) => void,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createTlsServer(certificate, (socket) => {
    socket.on('error', () => undefined);
    spoken.add(socket);
    onConnection(socket, () => {
      for (const raw of sockets) if (raw.remotePort === socket.remotePort) raw.resetAndDestroy();
    });
  });
  const spoken = new Set<TLSSocket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  const { port } = await listening(server, sockets);
  return {
    port,
    connections: () => sockets.size,
    end() {
      for (const socket of spoken) socket.end();
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
  };
}

interface RawServer {
  readonly port: number;
  readonly connections: () => number;
  /** Ends every connection with a proper close. */
  readonly end: () => void;
  /** Drops every connection. The system of the client knows it when this returns. */
  readonly reset: () => void;
}

/** Returns the connections of a pool that are not closed, in use or kept. */
function openSockets({ agent }: ConnectionPool): readonly Socket[] {
  return [...Object.values(agent.sockets), ...Object.values(agent.freeSockets)].flatMap(
    (sockets) => sockets ?? [],
  );
}

/** Resolves when the pool keeps a connection for another POST. */
async function idleConnectionIn({ agent }: ConnectionPool): Promise<void> {
  if (Object.keys(agent.freeSockets).length === 0) await once(agent, 'free');
}

/** Resolves when every connection of the pool is closed: its agent removes one on `close`. */
async function allClosed(pool: ConnectionPool): Promise<void> {
  await Promise.all(openSockets(pool).map((socket) => once(socket, 'close')));
  expect(openSockets(pool).length).toBe(0);
}

async function rawTcpServer(onConnection: (socket: Socket) => void): Promise<{ port: number }> {
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

/** Returns a port of loopback without a listener. */
async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Returns a guard that admits the URL with these targets, as if DNS had returned them. */
function guardAdmitting(targets: () => readonly DialTarget[], hostName = HOST): EndpointGuard {
  return {
    admit: async (url) => ({ admitted: true, endpoint: { url: new URL(url), hostName, targets: targets() } }),
  };
}

const loopback = (port: number): EndpointGuard => guardAdmitting(() => [{ address: '127.0.0.1', port }]);

function senderFor(
  guard: EndpointGuard,
  limits: { timeoutMs?: number; connectTimeoutMs?: number; after?: After } = {},
  pool: ConnectionPool = createConnectionPool({ concurrency: 500, extraCa: authority.pem }),
) {
  cleanups.push(() => pool.close());
  const sender = createHttpsSender({ guard, pool, timeoutMs: LONG_MS, ...limits });
  return (
    change: { url?: string; headers?: Record<string, string>; body?: Uint8Array } = {},
  ): Promise<PostResult> =>
    sender.post({ url: `https://${HOST}/hook`, headers: {}, body: Buffer.from('{"a":1}'), ...change });
}

/** A time limit that passes when the test chooses, however long a handshake takes. */
function heldLimit() {
  const timers = createManualTimers();
  return { limit: { after: timers.after }, endTime: () => timers.pass(LONG_MS) };
}

/** Calls back after a client of this process has read the head of a response. */
function onceResponseBegan(then: () => void): void {
  const channel = 'http.client.response.finish';
  const began = () => {
    unsubscribe(channel, began);
    setImmediate(then);
  };
  subscribe(channel, began);
  cleanups.push(() => void unsubscribe(channel, began));
}

const answerOf = (result: PostResult) => ('answer' in result ? result.answer : undefined);
const errorOf = (result: PostResult) => ('error' in result ? result.error : undefined);
const addressOf = (result: PostResult) => ('remoteAddress' in result ? result.remoteAddress : undefined);

describe('a POST', () => {
  test('arrives with its path, headers and exact bytes, and returns the response [DELIVERY-4]', async () => {
    const at = await receiver({
      answer: (_request, response) => response.writeHead(202, { 'retry-after': '7' }).end('stored'),
    });
    const body = Buffer.of(0x7b, 0xc3, 0xbc, 0x00, 0xff, 0x7d);
    const result = await senderFor(loopback(at.port))({
      url: `https://${HOST}/hook/a%20b?x=1&y=%2F`,
      headers: { 'content-type': 'application/json', 'x-svc-event': 'install.test' },
      body,
    });
    expect(result.outcome).toBe('delivered');
    expect(answerOf(result)).toEqual({ status: 202, body: Buffer.from('stored'), retryAfter: '7' });
    expect(addressOf(result)).toBe('127.0.0.1');
    expect(result.durationMs).toBeGreaterThanOrEqual(0);

    expect(at.requests).toHaveLength(1);
    const [request] = at.requests;
    expect(request?.method).toBe('POST');
    expect(request?.path).toBe('/hook/a%20b?x=1&y=%2F');
    expect(request?.body).toEqual(body);
    expect(request?.headers).toMatchObject({
      host: HOST,
      'content-type': 'application/json',
      'content-length': '6',
      'x-svc-event': 'install.test',
    });
    expect(request?.headers['transfer-encoding']).toBeUndefined();
    expect(at.connections[0]?.servername).toBe(HOST);
  });

  test.each([200, 201, 204, 299])('is delivered with %d [DELIVERY-2, DELIVERY-7]', async (status) => {
    const at = await receiver({ answer: (_request, response) => response.writeHead(status).end() });
    expect((await senderFor(loopback(at.port))()).outcome).toBe('delivered');
  });

  test.each([300, 304, 400, 404, 410, 429, 500, 503, 599])(
    'is rejected with %d [DELIVERY-1]',
    async (status) => {
      const at = await receiver({ answer: (_request, response) => response.writeHead(status).end() });
      const result = await senderFor(loopback(at.port))();
      expect(result.outcome).toBe('rejected');
      expect(answerOf(result)?.status).toBe(status);
      expect(errorOf(result)).toContain(`the endpoint responded with ${status}`);
    },
  );

  test('is rejected with a response that switches protocols', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
      );
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('rejected');
    expect(answerOf(result)?.status).toBe(101);
  });

  test.each([301, 302, 303, 307, 308])(
    'does not follow a %d, wherever it points [DELIVERY-13]',
    async (status) => {
      const target = await receiver();
      for (const location of [
        `https://127.0.0.1:${target.port}/`,
        `https://${HOST}:${target.port}/`,
        `http://127.0.0.1:${target.port}/`,
        'http://169.254.169.254/latest/meta-data/',
        '/hook',
      ]) {
        const at = await receiver({
          answer: (_request, response) => response.writeHead(status, { location }).end(),
        });
        const result = await senderFor(loopback(at.port))();
        expect(result.outcome).toBe('rejected');
        expect(errorOf(result)).toContain('redirects are not followed');
        expect(at.requests).toHaveLength(1);
      }
      expect(target.requests).toHaveLength(0);
      expect(target.connections).toHaveLength(0);
    },
  );
});

describe('a refused endpoint', () => {
  test('receives nothing, and its owner sees the violated rule', async () => {
    const at = await receiver();
    const guard = createEndpointGuard({
      resolveHost: async (name) => (name === 'nx.example.com' ? [] : ['127.0.0.1']),
    });
    const post = senderFor(guard);
    const results = [
      await post({ url: `https://localhost:${at.port}/` }),
      await post({ url: 'https://hooks.example.com/' }),
      await post({ url: 'https://nx.example.com/' }),
      await post({ url: 'https://127.0.0.1/' }),
    ];
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('endpoint_refused'));
    expect(results.map(errorOf)).toEqual([
      expect.stringContaining('must be an https URL on port 443'),
      expect.stringContaining('an address that is not public'),
      expect.stringContaining('does not resolve'),
      expect.stringContaining('an address that is not public'),
    ]);
    expect(results.map(addressOf)).toEqual(Array(4).fill(undefined));
    expect(at.connections).toHaveLength(0);
  });

  test('is refused at delivery although it was admitted before: the name now resolves to a private address [URL-2]', async () => {
    const at = await receiver();
    let answer = ['93.184.215.14'];
    const dns = await startDnsServer((question) => addressRecords(question, answer));
    cleanups.push(() => dns.close());
    const guard = createEndpointGuard({ resolveHost: createHostResolver({ servers: [dns.server] }) });
    expect((await guard.admit(`https://${HOST}/hook`)).admitted).toBe(true);
    answer = ['127.0.0.1'];
    expect((await senderFor(guard)()).outcome).toBe('endpoint_refused');
    expect(at.connections).toHaveLength(0);
  });
});

describe('the connected address', () => {
  test('is the vetted one: the name is not resolved again between check and connection [URL-3]', async () => {
    const at = await receiver({ host: '127.0.0.2' });
    const dns = await startDnsServer((question) => addressRecords(question, ['93.184.215.14']));
    cleanups.push(() => dns.close());
    const guard = createEndpointGuard({ resolveHost: createHostResolver({ servers: [dns.server] }) });
    // Vets by DNS, then replaces the resolved address with 127.0.0.2.
    const result = await senderFor({
      async admit(url) {
        const verdict = await guard.admit(url);
        if (!verdict.admitted) return verdict;
        const targets = verdict.endpoint.targets.map(() => ({ address: '127.0.0.2', port: at.port }));
        return { admitted: true, endpoint: { ...verdict.endpoint, targets } };
      },
    })();
    expect(result.outcome).toBe('delivered');
    expect(addressOf(result)).toBe('127.0.0.2');
    expect(dns.questions.map(({ type }) => type).sort()).toEqual(['A', 'AAAA']);
  });

  test('is the next vetted one when the first refuses the connection', async () => {
    const at = await receiver();
    const refusing = { address: '127.0.0.1', port: await closedPort() };
    const result = await senderFor(
      guardAdmitting(() => [refusing, { address: '127.0.0.1', port: at.port }]),
    )();
    expect(result.outcome).toBe('delivered');
    expect(at.requests).toHaveLength(1);
  });

  test('is the next vetted one when the first is silent', async () => {
    const at = await receiver();
    const silent = { address: '127.0.0.9', port: at.port };
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const open = pool.agent.createConnection.bind(pool.agent);
    // No address of loopback is silent, so a socket that stays in connecting simulates one.
    pool.agent.createConnection = (options) =>
      options.host === silent.address ? Object.assign(new Socket(), { connecting: true }) : open(options);
    const targets = [silent, { address: '127.0.0.1', port: at.port }];
    const post = senderFor(
      guardAdmitting(() => targets),
      { connectTimeoutMs: 50 },
      pool,
    );
    expect(addressOf(await post())).toBe('127.0.0.1');

    targets.pop();
    const alone = senderFor(
      guardAdmitting(() => targets),
      { connectTimeoutMs: 50, timeoutMs: 200 },
      pool,
    );
    expect(await alone()).toMatchObject({ outcome: 'timed_out', remoteAddress: silent.address });
  });

  test('does not change once the connection is open', async () => {
    const other = await receiver();
    const at = await rawTlsServer((socket, reset) => socket.once('data', reset));
    const result = await senderFor(
      guardAdmitting(() => [at, other].map(({ port }) => ({ address: '127.0.0.1', port }))),
    )();
    expect(result.outcome).toBe('connection_failed');
    expect(other.connections).toHaveLength(0);
  });

  test('is one of four at most', async () => {
    const at = await receiver();
    const closed = await Promise.all(Array.from({ length: 4 }, closedPort));
    const targets = [...closed, at.port].map((port) => ({ address: '127.0.0.1', port }));
    const result = await senderFor(guardAdmitting(() => targets))();
    expect(result.outcome).toBe('connection_failed');
    expect(errorOf(result)).toBe('the connection was refused');
    expect(at.connections).toHaveLength(0);
  });
});

describe('a kept connection', () => {
  test('carries the next POST to the same address', async () => {
    const at = await receiver();
    const post = senderFor(loopback(at.port));
    await post();
    await post();
    expect(at.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  test('is not used when DNS no longer returns its address [URL-3]', async () => {
    const first = await receiver({ host: '127.0.0.2' });
    const second = await receiver({ host: '127.0.0.3', port: first.port });
    const answers = [['127.0.0.2'], ['127.0.0.3'], ['127.0.0.2']];
    const post = senderFor(
      guardAdmitting(() => (answers.shift() ?? []).map((address) => ({ address, port: first.port }))),
    );
    const dialled = [addressOf(await post()), addressOf(await post()), addressOf(await post())];
    expect(dialled).toEqual(['127.0.0.2', '127.0.0.3', '127.0.0.2']);
    expect([first.connections.length, second.connections.length]).toEqual([1, 1]);
  });

  test('is preferred to a new one when DNS returns its address at any position', async () => {
    const first = await receiver({ host: '127.0.0.2' });
    const second = await receiver({ host: '127.0.0.3', port: first.port });
    const answers = [['127.0.0.2'], ['127.0.0.3', '127.0.0.2']];
    const post = senderFor(
      guardAdmitting(() => (answers.shift() ?? []).map((address) => ({ address, port: first.port }))),
    );
    await post();
    expect(addressOf(await post())).toBe('127.0.0.2');
    expect([first.connections.length, second.connections.length]).toEqual([1, 0]);
  });

  test('is not shared with another host name at the same address', async () => {
    const other = 'other.partner.test';
    const at = await receiver({ certificate: await authority.issue({ names: [HOST, other] }) });
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const targets = () => [{ address: '127.0.0.1', port: at.port }];
    await senderFor(guardAdmitting(targets), {}, pool)();
    await senderFor(guardAdmitting(targets, other), {}, pool)({ url: `https://${other}/hook` });
    expect(at.connections.map(({ servername }) => servername)).toEqual([HOST, other]);
  });

  test.each([2, 3])('is kept for as many attempts as may be in flight: %i', async (concurrency) => {
    const held: ServerResponse[] = [];
    const at = await receiver({
      answer: (_request, response) => {
        held.push(response);
        if (held.length === 3) for (const each of held) each.writeHead(204).end();
      },
    });
    const pool = createConnectionPool({ concurrency, extraCa: authority.pem });
    let freed = 0;
    const allFreed = new Promise<void>((resolve) => {
      pool.agent.on('free', () => {
        freed += 1;
        if (freed === 3) resolve();
      });
    });
    const post = senderFor(loopback(at.port), {}, pool);
    await Promise.all([post(), post(), post(), allFreed]);
    expect(Object.values(pool.agent.freeSockets).flat()).toHaveLength(concurrency);
  });

  test('that the receiver closed is not a failure of the next POST', async () => {
    const at = await receiver({
      answer: (_request, response) => response.writeHead(204, { connection: 'close' }).end(),
    });
    const post = senderFor(loopback(at.port));
    expect([(await post()).outcome, (await post()).outcome]).toEqual(['delivered', 'delivered']);
    expect(at.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test('that the receiver closed while it was idle is not reused', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        socket.once('data', () => undefined);
      });
    });
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const post = senderFor(loopback(at.port), {}, pool);
    for (let index = 0; index < 3; index += 1) {
      expect((await post()).outcome).toBe('delivered');
      await idleConnectionIn(pool);
      const closed = openSockets(pool).map((socket) => once(socket, 'close'));
      at.end();
      await Promise.all(closed);
    }
    expect(at.connections()).toBe(3);
  });

  test('does not pass an unsolicited response to the next POST', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        socket.on('data', () => socket.write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'));
      });
    });
    const post = senderFor(loopback(at.port));
    expect(answerOf(await post())?.status).toBe(204);
    expect(answerOf(await post())?.status).not.toBe(200);
  });

  test('that the receiver reset before its reuse carries nothing: the POST goes over a new one [DELIVERY-19]', async () => {
    const posted: TLSSocket[] = [];
    const at = await rawTlsServer((socket) => {
      socket.on('data', () => {
        posted.push(socket);
        // The first two are answered together, so that two connections are kept.
        if (posted.length === 1) return;
        for (const each of posted.slice(-2)) each.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const post = senderFor(loopback(at.port), {}, pool);
    await Promise.all([post(), post()]);
    while (Object.values(pool.agent.freeSockets).flat().length < 2) await once(pool.agent, 'free');

    at.reset();
    const result = await post();

    expect(result).toMatchObject({ outcome: 'delivered', trace: { reusedConnection: false } });
    expect({ posts: posted.length, connections: at.connections() }).toEqual({ posts: 3, connections: 3 });
  });

  test('that breaks on reuse fails the attempt without a second POST, and the pool then keeps none there', async () => {
    const posts: number[] = [];
    let connections = 0;
    const at = await rawTlsServer((socket, reset) => {
      connections += 1;
      const connection = connections;
      socket.on('data', () => {
        posts.push(connection);
        if (connection === 1 && posts.length === 2) reset();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const post = senderFor(loopback(at.port));
    const outcomes = [];
    for (let index = 0; index < 4; index += 1) outcomes.push((await post()).outcome);
    expect(outcomes).toEqual(['delivered', 'connection_failed', 'delivered', 'delivered']);
    expect(posts).toEqual([1, 1, 2, 3]);
  });

  test('that times out does not prevent keeping others there', async () => {
    let posts = 0;
    let connections = 0;
    const { limit, endTime } = heldLimit();
    const at = await rawTlsServer((socket) => {
      connections += 1;
      socket.on('data', () => {
        posts += 1;
        if (posts === 2) endTime();
        else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const post = senderFor(loopback(at.port), limit);
    const outcomes = [];
    for (let index = 0; index < 5; index += 1) outcomes.push((await post()).outcome);
    expect(outcomes).toEqual(['delivered', 'timed_out', 'delivered', 'delivered', 'delivered']);
    expect({ posts, connections }).toEqual({ posts: 5, connections: 2 });
  });
});

describe('a TLS session', () => {
  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of %s is resumed by the next connection',
    async (maxVersion) => {
      const at = await receiver({
        maxVersion,
        answer: (_request, response) => response.writeHead(204, { connection: 'close' }).end(),
      });
      const post = senderFor(loopback(at.port));
      await post();
      await post();
      expect(at.connections.map(({ resumed }) => resumed)).toEqual([false, true]);
    },
  );

  /** A receiver that closes each connection, and its successor with the same ticket keys and another certificate. */
  async function receiverAndSuccessor(maxVersion: 'TLSv1.2' | 'TLSv1.3', shown: TestCertificate) {
    const shared = {
      maxVersion,
      ticketKeys: randomBytes(48),
      answer: (_request: unknown, response: ServerResponse) =>
        void response.writeHead(204, { connection: 'close' }).end(),
    };
    const first = await startReceiver({ ...shared, certificate: shown });
    return {
      port: first.port,
      async succeed(): Promise<Receiver> {
        await first.close();
        const selfSigned = await authority.issue({ names: [HOST], selfSigned: true });
        return receiver({ ...shared, port: first.port, certificate: selfSigned });
      },
    };
  }

  /** Other servers also send a ticket in a resumed handshake; this simulates them with the first ticket. */
  function renewSessionsOnResumption({ agent }: ConnectionPool): void {
    const open = agent.createConnection.bind(agent);
    let first: Buffer | undefined;
    agent.createConnection = (options) => {
      const socket = open(options);
      if (!(socket instanceof TLSSocket)) return socket;
      socket.once('session', (session: Buffer) => {
        first ??= session;
      });
      socket.once('secureConnect', () => {
        if (socket.isSessionReused()) socket.emit('session', first);
      });
      return socket;
    };
  }

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of %s is resumed within an hour after its certificate was verified, however often, and not later',
    async (maxVersion) => {
      const { port, succeed } = await receiverAndSuccessor(maxVersion, certificate);
      let elapsedMs = 1_000_000;
      const pool = createConnectionPool({
        concurrency: 500,
        extraCa: authority.pem,
        elapsedMs: () => elapsedMs,
      });
      renewSessionsOnResumption(pool);
      const post = senderFor(loopback(port), {}, pool);
      expect((await post()).outcome).toBe('delivered');
      const successor = await succeed();
      const outcomes: string[] = [];
      for (let step = 0; step < 4; step += 1) {
        elapsedMs += 20 * 60_000;
        outcomes.push((await post()).outcome);
      }
      expect(outcomes).toEqual(['delivered', 'delivered', 'tls_failed', 'tls_failed']);
      expect(successor.connections.filter(({ resumed }) => resumed)).toHaveLength(2);
      expect(successor.requests).toHaveLength(2);
    },
  );

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of %s is not resumed beyond the end of its certificate',
    async (maxVersion) => {
      const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 600_000);
      const shown = await authority.issue({ names: [HOST], notAfter });
      const { port, succeed } = await receiverAndSuccessor(maxVersion, shown);
      let now = new Date();
      const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem, clock: () => now });
      const post = senderFor(loopback(port), {}, pool);
      expect((await post()).outcome).toBe('delivered');
      const successor = await succeed();
      now = new Date(notAfter.getTime() - 1);
      expect((await post()).outcome).toBe('delivered');
      now = notAfter;
      expect((await post()).outcome).toBe('tls_failed');
      expect(successor.requests).toHaveLength(1);
    },
  );

  test('is never resumed with a server whose certificate was refused', async () => {
    const wrong = await authority.issue({ names: ['elsewhere.partner.test'] });
    const at = await receiver({ certificate: wrong, maxVersion: 'TLSv1.2' });
    const post = senderFor(loopback(at.port));
    const results = await Promise.all([post(), post(), post()]);
    results.push(await post());
    expect(results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('tls_failed'));
    expect(at.requests).toHaveLength(0);
    expect(at.connections.filter(({ resumed }) => resumed)).toHaveLength(0);
  });
});

describe('TLS', () => {
  const expectTlsFailure = async (shown: TestCertificate, trusted: string | undefined = authority.pem) => {
    const at = await receiver({ certificate: shown });
    const pool = createConnectionPool({ concurrency: 500, extraCa: trusted });
    const result = await senderFor(loopback(at.port), {}, pool)();
    expect(result.outcome).toBe('tls_failed');
    expect(at.requests).toHaveLength(0);
    return errorOf(result);
  };

  test('fails for an expired certificate [DELIVERY-1]', async () => {
    const expired = await authority.issue({ names: [HOST], notAfter: new Date(Date.now() - 60_000) });
    expect(await expectTlsFailure(expired)).toBe('the certificate has expired');
  });

  test('fails for a certificate that is not valid yet', async () => {
    const future = await authority.issue({ names: [HOST], notBefore: new Date(Date.now() + 3_600_000) });
    expect(await expectTlsFailure(future)).toBe('the certificate is not valid yet');
  });

  test('fails for a certificate that is self-signed', async () => {
    const own = await authority.issue({ names: [HOST], selfSigned: true });
    expect(await expectTlsFailure(own)).toBe('the certificate is self-signed');
  });

  test('fails for a certificate of a wildcard that does not cover the host', async () => {
    for (const name of ['*.test', '*.receiver.partner.test', 'partner.test']) {
      expect(await expectTlsFailure(await authority.issue({ names: [name] }))).toBe(
        'the certificate is for another host name',
      );
    }
  });

  test('does not accept the common name as the host name', async () => {
    const named = await authority.issue({ names: ['other.partner.test'], subject: `CN=${HOST}` });
    expect(await expectTlsFailure(named)).toBe('the certificate is for another host name');
  });

  test('fails for a certificate of another host', async () => {
    expect(await expectTlsFailure(await authority.issue({ names: ['other.partner.test'] }))).toBe(
      'the certificate is for another host name',
    );
  });

  test('fails for a certificate of an authority that is not trusted', async () => {
    const stranger = await createTestAuthority();
    expect(await expectTlsFailure(await stranger.issue({ names: [HOST] }))).toContain(
      'not signed by a trusted authority',
    );
  });

  test("does not trust a test's authority by default", async () => {
    const at = await receiver();
    const result = await senderFor(loopback(at.port), {}, createConnectionPool({ concurrency: 500 }))();
    expect(result.outcome).toBe('tls_failed');
  });

  test('older than 1.2 is refused', async () => {
    const at = await receiver({ maxVersion: 'TLSv1.1' });
    expect((await senderFor(loopback(at.port))()).outcome).toBe('tls_failed');
    expect(at.requests).toHaveLength(0);
  });

  test('to an address sends no server name and accepts a certificate for the address', async () => {
    const forAddress = await authority.issue({ addresses: ['127.0.0.1'] });
    const at = await receiver({ certificate: forAddress });
    const guard = guardAdmitting(() => [{ address: '127.0.0.1', port: at.port }], '127.0.0.1');
    expect((await senderFor(guard)({ url: 'https://127.0.0.1/hook' })).outcome).toBe('delivered');
    expect(at.connections[0]?.servername).toBeUndefined();

    const forName = await receiver();
    const atName = guardAdmitting(() => [{ address: '127.0.0.1', port: forName.port }], '127.0.0.1');
    expect((await senderFor(atName)({ url: 'https://127.0.0.1/hook' })).outcome).toBe('tls_failed');
  });

  test('fails with a server of another protocol', async () => {
    const at = await rawTcpServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('tls_failed');
    expect(errorOf(result)).toBe('the TLS handshake failed');
  });

  test.each([
    ['closed during the handshake', (socket: Socket) => socket.once('data', () => socket.destroy())],
    ['reset during the handshake', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy())],
  ])('fails when the connection is %s', async (_how, breakOff) => {
    const at = await rawTcpServer(breakOff);
    expect((await senderFor(loopback(at.port))()).outcome).toBe('tls_failed');
  });

  test('connects to the endpoint itself, whatever proxies the environment sets', async () => {
    let proxied = 0;
    const proxy = await rawTcpServer((socket) => {
      proxied += 1;
      socket.destroy();
    });
    const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
    const before = { ...process.env };
    cleanups.push(() => {
      process.env = before;
    });
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    process.env['NODE_USE_ENV_PROXY'] = '1';
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const at = await receiver();
    expect((await senderFor(loopback(at.port))()).outcome).toBe('delivered');
    const stranger = await createTestAuthority();
    const untrusted = await receiver({ certificate: await stranger.issue({ names: [HOST] }) });
    expect((await senderFor(loopback(untrusted.port))()).outcome).toBe('tls_failed');
    expect(proxied).toBe(0);
  });
});

describe('the time limit', () => {
  const timeoutText = 'there was no complete response within 10 seconds';

  test('covers the lookup [DELIVERY-13]', async () => {
    const { limit, endTime } = heldLimit();
    const dns = await startDnsServer(() => {
      endTime();
      return { kind: 'silent' };
    });
    cleanups.push(() => dns.close());
    const guard = createEndpointGuard({ resolveHost: createHostResolver({ servers: [dns.server] }) });
    const result = await senderFor(guard, limit)();
    expect(result).toMatchObject({ outcome: 'timed_out', error: timeoutText });
    expect(addressOf(result)).toBeUndefined();
  });

  test('covers a handshake that hangs [DELIVERY-13]', async () => {
    const { limit, endTime } = heldLimit();
    const at = await rawTcpServer((socket) => socket.once('data', endTime));
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const result = await senderFor(loopback(at.port), limit, pool)();
    expect(result).toMatchObject({ outcome: 'timed_out', error: timeoutText, remoteAddress: '127.0.0.1' });
    await allClosed(pool);
  });

  test('covers a server that never responds [DELIVERY-1]', async () => {
    const { limit, endTime } = heldLimit();
    const at = await receiver({ answer: endTime });
    const result = await senderFor(loopback(at.port), limit)();
    expect(result.outcome).toBe('timed_out');
    expect(answerOf(result)).toBeUndefined();
    expect(at.requests).toHaveLength(1);
  });

  test('covers headers that arrive byte by byte', async () => {
    const { limit, endTime } = heldLimit();
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => drip(socket, 'HTTP/1.1 200 OK\r\n', endTime));
    });
    expect((await senderFor(loopback(at.port), limit)()).outcome).toBe('timed_out');
  });

  test('covers a body that arrives byte by byte: a 200 alone is not a delivery', async () => {
    const { limit, endTime } = heldLimit();
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
        onceResponseBegan(() => drip(socket, '', endTime));
      });
    });
    const result = await senderFor(loopback(at.port), limit)();
    expect(result.outcome).toBe('timed_out');
    expect(answerOf(result)?.status).toBe(200);
  });

  test('closes its connection when it passes', async () => {
    const { limit, endTime } = heldLimit();
    const closed = new Promise<void>((resolve) => {
      void receiver({
        answer(_request, response) {
          response.once('close', resolve);
          endTime();
        },
      }).then((at) => senderFor(loopback(at.port), limit)());
    });
    await expect(closed).resolves.toBeUndefined();
  });

  /** Writes byte by byte until the connection is closed; the time limit passes after the fifth byte. */
  function drip(socket: TLSSocket, first: string, endTime: () => void): void {
    socket.write(first);
    let bytes = 0;
    const timer = setInterval(() => {
      socket.write('x');
      bytes += 1;
      if (bytes === 5) endTime();
    }, 10);
    socket.once('close', () => clearInterval(timer));
  }
});

describe('a response', () => {
  test('is kept up to 4 KiB [DELIVERY-13]', async () => {
    const at = await receiver({
      answer: (_request, response) => response.writeHead(200).end('a'.repeat(4_095) + 'b'.repeat(5_000)),
    });
    const answer = answerOf(await senderFor(loopback(at.port))());
    expect(Buffer.from(answer?.body ?? []).toString()).toBe(`${'a'.repeat(4_095)}b`);
  });

  test('of 64 KiB or more is cut off, and its status counts [DELIVERY-13]', async () => {
    let written = 0;
    const closed = deferred();
    const at = await receiver({
      answer: (_request, response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(16 * 1_024);
        const write = () => {
          while (!response.destroyed && written < 1_000_000_000) {
            written += chunk.length;
            if (!response.write(chunk)) break;
          }
        };
        response.on('drain', write);
        response.once('close', () => closed.resolve());
        write();
      },
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('delivered');
    expect(answerOf(result)?.body).toHaveLength(4_096);
    await closed.promise;
    expect(written).toBeLessThan(50_000_000);
  });

  test('with another status is rejected, even if it is large', async () => {
    const at = await receiver({
      answer: (_request, response) => response.writeHead(500).end(Buffer.alloc(1_000_000)),
    });
    expect((await senderFor(loopback(at.port))()).outcome).toBe('rejected');
  });

  test.each([
    ['no HTTP', 'hello\r\n\r\n', 'the response was not valid HTTP'],
    [
      'chunks of no size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n',
      'the response was not valid HTTP',
    ],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'the response was not valid HTTP',
    ],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
      'the response was not valid HTTP',
    ],
    [
      'huge headers',
      `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`,
      'the headers of the response were too large',
    ],
  ])('of %s fails the attempt', async (_what, text, error) => {
    const at = await rawTlsServer((socket) => socket.once('data', () => socket.write(text)));
    const result = await senderFor(loopback(at.port))();
    expect(result).toMatchObject({ outcome: 'connection_failed', error });
  });

  test.each([
    ['before it begins', ''],
    ['in its headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello'],
    ['in its chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('that is lost %s fails the attempt', async (_when, text) => {
    for (const way of ['end', 'reset'] as const) {
      const at = await rawTlsServer((socket, reset) => {
        const breakOff = way === 'end' ? () => socket.end() : reset;
        socket.once('data', () => (text === '' ? breakOff() : socket.write(text, breakOff)));
      });
      const result = await senderFor(loopback(at.port))();
      expect(result).toMatchObject({
        outcome: 'connection_failed',
        error: 'the connection was closed before the response was complete',
      });
    }
  });

  test.each([
    ['a status line of another protocol', 'ICY 200 OK\r\n\r\n'],
    ['a status line of another version', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['HTTP/2 frames', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80'],
    ['a status of letters', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n'],
    ['a header with a zero byte', 'HTTP/1.1 200 OK\r\nx-a: a\0b\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['a length of letters', 'HTTP/1.1 200 OK\r\ncontent-length: five\r\n\r\nhello'],
    ['a length beyond numbers', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(30)}\r\n\r\nhello`],
    ['a negative chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nhello\r\n'],
    [
      'a chunk beyond numbers',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'f'.repeat(30)}\r\nhello\r\n`,
    ],
    [
      'a chunk that is longer than it says',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n',
    ],
  ])('of %s fails the attempt and leaves nothing open', async (_what, text) => {
    const at = await rawTlsServer((socket) => socket.once('data', () => socket.write(text, 'latin1')));
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const result = await senderFor(loopback(at.port), {}, pool)();
    expect(result).toMatchObject({ outcome: 'connection_failed', error: 'the response was not valid HTTP' });
    await allClosed(pool);
    expect(at.connections()).toBe(1);
  });

  test.each([
    ['000 and no body', 'HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n'],
    ['099 and no body', 'HTTP/1.1 099 None\r\ncontent-length: 0\r\n\r\n'],
    ['099 and a body', 'HTTP/1.1 099 None\r\ncontent-length: 5\r\n\r\nhello'],
    ['000 and a body without end', 'HTTP/1.1 000 None\r\n\r\nhello'],
  ])('with the status %s fails the attempt, and its connection is not reused', async (_what, text) => {
    let requests = 0;
    const at = await rawTlsServer((socket) => {
      socket.on('data', () => {
        requests += 1;
        socket.write(text);
      });
    });
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const post = senderFor(loopback(at.port), {}, pool);
    for (const attempts of [1, 2]) {
      const result = await post();
      expect(result).toMatchObject({
        outcome: 'connection_failed',
        error: 'the response was not valid HTTP',
      });
      expect(answerOf(result)).toBeUndefined();
      await allClosed(pool);
      expect([requests, at.connections()]).toEqual([attempts, attempts]);
    }
  });

  test('without a length lasts until the connection is closed', async () => {
    for (const version of ['1.0', '1.1']) {
      const at = await rawTlsServer((socket) =>
        socket.once('data', () => socket.end(`HTTP/${version} 200 OK\r\n\r\nhello`)),
      );
      const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
      const result = await senderFor(loopback(at.port), {}, pool)();
      expect(result.outcome).toBe('delivered');
      expect(Buffer.from(answerOf(result)?.body ?? []).toString()).toBe('hello');
      await allClosed(pool);
    }
  });

  test('whose chunks never end is not a delivery', async () => {
    const { limit, endTime } = heldLimit();
    const at = await rawTlsServer((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'),
      ),
    );
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    onceResponseBegan(endTime);
    const result = await senderFor(loopback(at.port), limit, pool)();
    expect(result.outcome).toBe('timed_out');
    expect(answerOf(result)?.status).toBe(200);
    await allClosed(pool);
  });

  test('that is compressed is kept as received, whatever its decompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const at = await receiver({
      answer: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('delivered');
    expect(answerOf(result)?.body).toEqual(bomb.subarray(0, 4_096));
    expect(at.requests[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test('is cut off when its chunks have more framing than content', async () => {
    const { at, written } = await floodingServer(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      `1;${'x'.repeat(10_000)}\r\na\r\n`,
    );
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const result = await senderFor(loopback(at.port), {}, pool)();
    expect(result.outcome).toBe('delivered');
    await allClosed(pool);
    expect(written()).toBeLessThan(50_000_000);
    expect(answerOf(result)?.body.byteLength).toBeLessThan(100);
  });

  test('is not awaited after endless interim responses', async () => {
    for (const status of ['100 Continue', '102 Processing', '103 Early Hints']) {
      const { at, written } = await floodingServer(
        '',
        `HTTP/1.1 ${status}\r\nx-a: ${'x'.repeat(1_000)}\r\n\r\n`,
      );
      const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
      const result = await senderFor(loopback(at.port), {}, pool)();
      expect(result).toMatchObject({
        outcome: 'connection_failed',
        error: 'there were too many interim responses',
      });
      await allClosed(pool);
      expect(written()).toBeLessThan(50_000_000);
    }
  });

  /** A server that sends the text repeatedly until the connection is closed. */
  async function floodingServer(begin: string, text: string) {
    let written = 0;
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => {
        const write = () => {
          while (!socket.destroyed && written < 1_000_000_000) {
            written += text.length;
            if (!socket.write(text)) break;
          }
        };
        socket.write(begin);
        socket.on('drain', write);
        write();
      });
    });
    return { at, written: () => written };
  }

  test('that arrives before the request was read counts, and nothing more is sent', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const pool = createConnectionPool({ concurrency: 500, extraCa: authority.pem });
    const post = senderFor(loopback(at.port), {}, pool);
    const result = await post({ body: Buffer.alloc(50_000_000) });
    expect(answerOf(result)?.status).toBe(413);
    await allClosed(pool);
  });

  test('after a 100 is the final one', async () => {
    const at = await receiver({
      answer: (_request, response) => {
        response.writeContinue();
        response.writeProcessing();
        response.writeHead(204).end();
      },
    });
    const result = await senderFor(loopback(at.port))();
    expect(answerOf(result)?.status).toBe(204);
    expect(at.requests).toHaveLength(1);
  });

  test('after interim responses is the final one', async () => {
    const at = await rawTlsServer((socket) =>
      socket.once('data', () =>
        socket.write(
          'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
        ),
      ),
    );
    expect((await senderFor(loopback(at.port))()).outcome).toBe('delivered');
  });
});

describe('the trace', () => {
  const tlsOf = (result: PostResult) => {
    const { tlsProtocol, certificate } = result.trace;
    return { tlsProtocol, certificate };
  };
  const shown = {
    subject: 'Test server',
    issuer: expect.stringMatching(/^Test authority /),
    validTo: expect.any(Date),
  };
  const ms = expect.any(Number);

  test('of a new connection has every step', async () => {
    const at = await receiver();
    const result = await senderFor(loopback(at.port))();
    expect(result.trace).toEqual({
      connectMs: ms,
      tlsMs: ms,
      tlsProtocol: 'TLSv1.3',
      certificate: shown,
      reusedConnection: false,
      firstByteMs: ms,
    });
  });

  test('of a kept connection has no opening steps, but its certificate', async () => {
    const at = await receiver({ maxVersion: 'TLSv1.2' });
    const post = senderFor(loopback(at.port));
    await post();
    expect((await post()).trace).toEqual({
      tlsProtocol: 'TLSv1.2',
      certificate: shown,
      reusedConnection: true,
      firstByteMs: ms,
    });
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of a resumed session of %s has the certificate of the first',
    async (maxVersion) => {
      const at = await receiver({
        maxVersion,
        answer: (_request, response) => response.writeHead(204, { connection: 'close' }).end(),
      });
      const post = senderFor(loopback(at.port));
      const results = [await post(), await post(), await post()];
      expect(at.connections.map(({ resumed }) => resumed)).toEqual([false, true, true]);
      expect(results.map(tlsOf)).toEqual(Array(3).fill({ tlsProtocol: maxVersion, certificate: shown }));
    },
  );

  test('has the certificate that was refused', async () => {
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
    const stranger = await createTestAuthority();
    const refused = [
      await authority.issue({ names: [HOST], notAfter }),
      await authority.issue({ names: ['other.partner.test'], notAfter, subject: 'O=Nobody' }),
      await stranger.issue({ names: [HOST], notAfter }),
    ];
    const subjects: (string | undefined)[] = [];
    for (const issued of refused) {
      const at = await receiver({ certificate: issued });
      const result = await senderFor(loopback(at.port))();
      expect(result.outcome).toBe('tls_failed');
      expect(result.trace).toEqual({
        connectMs: ms,
        tlsMs: ms,
        tlsProtocol: 'TLSv1.3',
        certificate: { ...shown, subject: expect.any(String), validTo: notAfter },
        reusedConnection: false,
      });
      subjects.push(result.trace.certificate?.subject);
    }
    expect(subjects).toEqual(['Test server', 'other.partner.test', 'Test server']);
  });

  test("cuts a certificate's names to the usual length and strips control characters", async () => {
    const subject = `CN=evil\u0007\u202e${'x'.repeat(400)}`;
    const at = await receiver({ certificate: await authority.issue({ names: [HOST], subject }) });
    const { certificate: traced } = (await senderFor(loopback(at.port))()).trace;
    expect(traced?.subject).toMatch(/^evilx{200,249}$/);
  });

  test('ends where the POST ended', async () => {
    const closed = await closedPort();
    expect((await senderFor(loopback(closed))()).trace).toEqual({ reusedConnection: false });

    const { limit, endTime } = heldLimit();
    const hanging = await rawTcpServer((socket) => socket.once('data', endTime));
    expect((await senderFor(loopback(hanging.port), limit)()).trace).toEqual({
      connectMs: ms,
      reusedConnection: false,
    });

    const silent = await receiver({ answer: endTime });
    const unanswered = await senderFor(loopback(silent.port), limit)();
    expect(unanswered.outcome).toBe('timed_out');
    expect(unanswered.trace).toEqual({
      connectMs: ms,
      tlsMs: ms,
      tlsProtocol: 'TLSv1.3',
      certificate: shown,
      reusedConnection: false,
    });
  });

  test('has the resolved addresses, 16 at most', async () => {
    const addresses = Array.from({ length: 20 }, (_none, index) => `93.184.215.${index + 1}`);
    const at = await receiver();
    const guard = createEndpointGuard({ resolveHost: async () => addresses });
    const result = await senderFor({
      async admit(url) {
        const verdict = await guard.admit(url);
        if (!verdict.admitted) return verdict;
        const targets = verdict.endpoint.targets.map(({ address }, index) =>
          index === 0 ? { address: '127.0.0.1', port: at.port } : { address, port: at.port },
        );
        return { admitted: true, endpoint: { ...verdict.endpoint, targets } };
      },
    })();
    expect(result.outcome).toBe('delivered');
    expect(result.trace.dnsMs).toBeGreaterThanOrEqual(0);
    expect(result.trace.addresses).toEqual(['127.0.0.1', ...addresses.slice(1, 16)]);
  });

  test('of a refused endpoint reveals nothing about the addresses', async () => {
    for (const addresses of [['10.0.0.1'], ['93.184.215.14', '127.0.0.1'], []]) {
      const result = await senderFor(createEndpointGuard({ resolveHost: async () => addresses }))();
      expect(result.outcome).toBe('endpoint_refused');
      expect(result.trace).toEqual({ reusedConnection: false });
    }
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
