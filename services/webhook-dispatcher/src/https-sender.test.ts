import { once } from 'node:events';
import { createServer as createTcpServer, Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type ConnectionPool, createConnectionPool } from './connection-pool.js';
import {
  createEndpointGuard,
  type DialTarget,
  ENDPOINT_REFUSAL,
  type EndpointGuard,
} from './endpoint-guard.js';
import { createHostResolver } from './host-resolver.js';
import { createHttpsSender, type PostResult } from './https-sender.js';
import { addressRecords, startDnsServer } from './testing/dns-server.js';
import {
  createTestAuthority,
  type TestAuthority,
  type TestCertificate,
} from './testing/test-certificates.js';
import { startTlsReceiver, type TlsReceiver } from './testing/tls-receiver.js';

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

async function receiver(options: Partial<Parameters<typeof startTlsReceiver>[0]> = {}): Promise<TlsReceiver> {
  const started = await startTlsReceiver({ certificate, ...options });
  cleanups.push(() => started.close());
  return started;
}

/** A server that speaks TLS and then whatever the test writes; `reset` breaks the connection off without a goodbye. */
async function rawTlsServer(
  onConnection: (socket: TLSSocket, reset: () => void) => void,
): Promise<{ port: number }> {
  const sockets = new Set<Socket>();
  const server = createTlsServer(certificate, (socket) => {
    socket.on('error', () => undefined);
    onConnection(socket, () => {
      for (const raw of sockets) if (raw.remotePort === socket.remotePort) raw.resetAndDestroy();
    });
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  return listening(server, sockets);
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

/** A port of loopback that nothing listens on. */
async function closedPort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A guard that admits the URL with these targets, as if DNS had said so. */
function guardAdmitting(targets: () => readonly DialTarget[], hostName = HOST): EndpointGuard {
  return {
    admit: async (url) => ({ admitted: true, endpoint: { url: new URL(url), hostName, targets: targets() } }),
  };
}

const loopback = (port: number): EndpointGuard => guardAdmitting(() => [{ address: '127.0.0.1', port }]);

function senderFor(
  guard: EndpointGuard,
  limits: { timeoutMs?: number; connectTimeoutMs?: number } = {},
  pool: ConnectionPool = createConnectionPool({ extraCa: authority.pem }),
) {
  cleanups.push(() => pool.close());
  const sender = createHttpsSender({ guard, pool, timeoutMs: LONG_MS, ...limits });
  return (
    change: { url?: string; headers?: Record<string, string>; body?: Uint8Array } = {},
  ): Promise<PostResult> =>
    sender.post({ url: `https://${HOST}/hook`, headers: {}, body: Buffer.from('{"a":1}'), ...change });
}

const answerOf = (result: PostResult) => ('answer' in result ? result.answer : undefined);
const errorOf = (result: PostResult) => ('error' in result ? result.error : undefined);
const addressOf = (result: PostResult) => ('remoteAddress' in result ? result.remoteAddress : undefined);

describe('a POST', () => {
  test('arrives with its path, headers and exact bytes, and the answer comes back', async () => {
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

  test.each([200, 201, 204, 299])('is delivered with %d', async (status) => {
    const at = await receiver({ answer: (_request, response) => response.writeHead(status).end() });
    expect((await senderFor(loopback(at.port))()).outcome).toBe('delivered');
  });

  test.each([300, 304, 400, 404, 410, 429, 500, 503, 599])('is rejected with %d', async (status) => {
    const at = await receiver({ answer: (_request, response) => response.writeHead(status).end() });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('rejected');
    expect(answerOf(result)?.status).toBe(status);
    expect(errorOf(result)).toContain(`the endpoint answered ${status}`);
  });

  test('is rejected with an answer that switches protocols', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
      );
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('rejected');
    expect(answerOf(result)?.status).toBe(101);
  });

  test.each([301, 302, 303, 307, 308])('does not follow a %d, wherever it points', async (status) => {
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
  });
});

describe('a refused endpoint', () => {
  test('gets nothing, and its owner one text for every cause', async () => {
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
    expect(results.map(errorOf)).toEqual(Array(4).fill(ENDPOINT_REFUSAL));
    expect(results.map(addressOf)).toEqual(Array(4).fill(undefined));
    expect(at.connections).toHaveLength(0);
  });

  test('is refused at delivery although it was admitted before: the name now leads inside', async () => {
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

describe('the dialled address', () => {
  test('is the vetted one: the name is not looked up again between check and connection', async () => {
    const at = await receiver({ host: '127.0.0.2' });
    const dns = await startDnsServer((question) => addressRecords(question, ['93.184.215.14']));
    cleanups.push(() => dns.close());
    const guard = createEndpointGuard({ resolveHost: createHostResolver({ servers: [dns.server] }) });
    // Vets by DNS, then stands 127.0.0.2 in for the address that DNS gave.
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

  test('is the next vetted one when the first does not take the connection', async () => {
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
    const pool = createConnectionPool({ extraCa: authority.pem });
    const open = pool.agent.createConnection.bind(pool.agent);
    // No address of loopback is silent, so a socket that stays at connecting stands in for one.
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

  test('is not changed once the connection stands', async () => {
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

  test('is not used when its address is no longer in the answer of DNS', async () => {
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

  test('is preferred to a new one when its address is anywhere in the answer of DNS', async () => {
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
    const pool = createConnectionPool({ extraCa: authority.pem });
    const targets = () => [{ address: '127.0.0.1', port: at.port }];
    await senderFor(guardAdmitting(targets), {}, pool)();
    await senderFor(guardAdmitting(targets, other), {}, pool)({ url: `https://${other}/hook` });
    expect(at.connections.map(({ servername }) => servername)).toEqual([HOST, other]);
  });

  test('that the receiver closed is not a failure of the next POST', async () => {
    const at = await receiver({
      answer: (_request, response) => response.writeHead(204, { connection: 'close' }).end(),
    });
    const post = senderFor(loopback(at.port));
    expect([(await post()).outcome, (await post()).outcome]).toEqual(['delivered', 'delivered']);
    expect(at.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test('that breaks as it is used again fails the attempt without a second POST, and then none is kept there', async () => {
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
    const pool = createConnectionPool({ extraCa: trusted });
    const result = await senderFor(loopback(at.port), {}, pool)();
    expect(result.outcome).toBe('tls_failed');
    expect(at.requests).toHaveLength(0);
    return errorOf(result);
  };

  test('fails for an expired certificate', async () => {
    const expired = await authority.issue({ names: [HOST], notAfter: new Date(Date.now() - 60_000) });
    expect(await expectTlsFailure(expired)).toBe('the certificate has expired');
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

  test('trusts no authority of a test by default', async () => {
    const at = await receiver();
    const result = await senderFor(loopback(at.port), {}, createConnectionPool({}))();
    expect(result.outcome).toBe('tls_failed');
  });

  test('older than 1.2 is refused', async () => {
    const at = await receiver({ maxVersion: 'TLSv1.1' });
    expect((await senderFor(loopback(at.port))()).outcome).toBe('tls_failed');
    expect(at.requests).toHaveLength(0);
  });

  test('to an address asks for no name and takes a certificate for the address', async () => {
    const forAddress = await authority.issue({ addresses: ['127.0.0.1'] });
    const at = await receiver({ certificate: forAddress });
    const guard = guardAdmitting(() => [{ address: '127.0.0.1', port: at.port }], '127.0.0.1');
    expect((await senderFor(guard)({ url: 'https://127.0.0.1/hook' })).outcome).toBe('delivered');
    expect(at.connections[0]?.servername).toBeUndefined();

    const forName = await receiver();
    const atName = guardAdmitting(() => [{ address: '127.0.0.1', port: forName.port }], '127.0.0.1');
    expect((await senderFor(atName)({ url: 'https://127.0.0.1/hook' })).outcome).toBe('tls_failed');
  });

  test('fails with a server that speaks something else', async () => {
    const at = await rawTcpServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'));
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('tls_failed');
    expect(errorOf(result)).toBe('the TLS handshake failed');
  });

  test('fails when the connection is closed during the handshake', async () => {
    const at = await rawTcpServer((socket) => socket.once('data', () => socket.destroy()));
    expect((await senderFor(loopback(at.port))()).outcome).toBe('tls_failed');
  });
});

describe('the time limit', () => {
  const limit = { timeoutMs: 250 };
  const timeoutText = 'there was no complete answer within 0.25 seconds';

  test('covers the lookup', async () => {
    const dns = await startDnsServer(() => ({ kind: 'silent' }));
    cleanups.push(() => dns.close());
    const guard = createEndpointGuard({ resolveHost: createHostResolver({ servers: [dns.server] }) });
    const result = await senderFor(guard, limit)();
    expect(result).toMatchObject({ outcome: 'timed_out', error: timeoutText });
    expect(addressOf(result)).toBeUndefined();
  });

  test('covers a handshake that hangs', async () => {
    const at = await rawTcpServer(() => undefined);
    const result = await senderFor(loopback(at.port), limit)();
    expect(result).toMatchObject({ outcome: 'timed_out', error: timeoutText, remoteAddress: '127.0.0.1' });
  });

  test('covers a server that never answers', async () => {
    const at = await receiver({ answer: () => undefined });
    const result = await senderFor(loopback(at.port), limit)();
    expect(result.outcome).toBe('timed_out');
    expect(answerOf(result)).toBeUndefined();
    expect(at.requests).toHaveLength(1);
  });

  test('covers headers that come byte by byte', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => drip(socket, 'HTTP/1.1 200 OK\r\n'));
    });
    expect((await senderFor(loopback(at.port), limit)()).outcome).toBe('timed_out');
  });

  test('covers a body that comes byte by byte: a 200 alone is no delivery', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
        drip(socket, '');
      });
    });
    const result = await senderFor(loopback(at.port), limit)();
    expect(result.outcome).toBe('timed_out');
    expect(answerOf(result)?.status).toBe(200);
  });

  test('closes the connection that it ends', async () => {
    const closed = new Promise<void>((resolve) => {
      void receiver({ answer: (_request, response) => void response.once('close', resolve) }).then((at) =>
        senderFor(loopback(at.port), limit)(),
      );
    });
    await expect(closed).resolves.toBeUndefined();
  });

  function drip(socket: TLSSocket, first: string): void {
    socket.write(first);
    const timer = setInterval(() => socket.write('x'), 10);
    socket.once('close', () => clearInterval(timer));
  }
});

describe('an answer', () => {
  test('is kept up to 4 KiB', async () => {
    const at = await receiver({
      answer: (_request, response) => response.writeHead(200).end('a'.repeat(4_095) + 'b'.repeat(5_000)),
    });
    const answer = answerOf(await senderFor(loopback(at.port))());
    expect(Buffer.from(answer?.body ?? []).toString()).toBe(`${'a'.repeat(4_095)}b`);
  });

  test('of 64 KiB or more is cut off, and its status counts', async () => {
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

  test('that is large and rejected is rejected', async () => {
    const at = await receiver({
      answer: (_request, response) => response.writeHead(500).end(Buffer.alloc(1_000_000)),
    });
    expect((await senderFor(loopback(at.port))()).outcome).toBe('rejected');
  });

  test.each([
    ['no HTTP', 'hello\r\n\r\n', 'the answer was not valid HTTP'],
    [
      'chunks of no size',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n',
      'the answer was not valid HTTP',
    ],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'the answer was not valid HTTP',
    ],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello',
      'the answer was not valid HTTP',
    ],
    [
      'huge headers',
      `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`,
      'the headers of the answer were too large',
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
  ])('that breaks off %s fails the attempt', async (_when, text) => {
    for (const way of ['end', 'reset'] as const) {
      const at = await rawTlsServer((socket, reset) => {
        const breakOff = way === 'end' ? () => socket.end() : reset;
        socket.once('data', () => (text === '' ? breakOff() : socket.write(text, breakOff)));
      });
      const result = await senderFor(loopback(at.port))();
      expect(result).toMatchObject({
        outcome: 'connection_failed',
        error: 'the connection was closed before the answer was complete',
      });
    }
  });

  test('with interim answers before it is the last one', async () => {
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

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
