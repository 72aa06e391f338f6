import { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import { eventually } from '@partner/test-kit/eventually';
import { createEndpointGuard } from './endpoint-guard.js';
import { createHostResolver } from './host-resolver.js';
import { addressRecords, startDnsServer } from './testing/dns-server.js';
import {
  HOST,
  addressOf,
  allClosed,
  responseOf,
  cleanups,
  CLOSED_PORTS,
  errorOf,
  guardAdmitting,
  heldLimit,
  loopback,
  onceResponseBegan,
  rawTcpServer,
  rawTlsServer,
  receiver,
  senderFor,
  testPool,
} from './testing/sender-fixture.js';

/** A guard that asks a DNS server of the test, which no query reaches twice while the machine stalls. */
async function guardWithDns(reply: Parameters<typeof startDnsServer>[0]) {
  const dns = await startDnsServer(reply);
  cleanups.push(() => dns.close());
  const limits = { retryAfterMs: 30_000, limitMs: 60_000 };
  return createEndpointGuard({ resolveHost: createHostResolver({ servers: [dns.server], ...limits }) });
}

describe('a POST', () => {
  test('goes to exactly the path and query of the URL [URL-4]', async () => {
    const at = await receiver();
    const post = senderFor(loopback(at.port));
    const targets = [
      "/a?t='",
      '/a?',
      '/?',
      '/a^b|c`d{e}"<f>?^|`{}"<>',
      '/a/../b/./c//..',
      '/%2e%2E/%c3%A9/%zz/%',
    ];
    for (const target of targets) await post({ url: `https://${HOST}${target}` });
    await post({ url: `https://${HOST}?é` });
    expect(at.requests.map(({ path }) => path)).toEqual([...targets, '/?%C3%A9']);
  });

  test('arrives with its path, headers and exact bytes, and returns the response [DELIVERY-4]', async () => {
    const at = await receiver({
      respond: (_request, response) => response.writeHead(202, { 'retry-after': '7' }).end('stored'),
    });
    const body = Buffer.of(0x7b, 0xc3, 0xbc, 0x00, 0xff, 0x7d);
    const result = await senderFor(loopback(at.port))({
      url: `https://${HOST}/hook/a%20b?x=1&y=%2F`,
      headers: { 'content-type': 'application/json', 'x-svc-event': 'install.test' },
      body,
    });
    expect(result.outcome).toBe('delivered');
    expect(responseOf(result)).toMatchObject({
      status: 202,
      headers: expect.arrayContaining([{ name: 'retry-after', value: '7' }]),
      body: Buffer.from('stored'),
      retryAfter: '7',
    });
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

  test('is delivered with a status of 200 to 299, else rejected [DELIVERY-1, DELIVERY-2, DELIVERY-7]', async () => {
    let status = 0;
    const at = await receiver({ respond: (_request, response) => response.writeHead(status).end() });
    const post = senderFor(loopback(at.port));
    for (status of [200, 204, 299, 300, 304, 400, 410, 429, 500, 503, 599]) {
      expect(await post()).toMatchObject({
        response: { status },
        ...(status < 300
          ? { outcome: 'delivered' }
          : { outcome: 'rejected', error: expect.stringContaining(`${status}`) }),
      });
    }
  });

  test('is rejected with a response that switches protocols', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
      );
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('rejected');
    expect(responseOf(result)?.status).toBe(101);
  });

  test.each([301, 302, 303, 307, 308])(
    'does not follow a %d to any location [DELIVERY-13]',
    async (status) => {
      const target = await receiver();
      let location = '';
      const at = await receiver({
        respond: (_request, response) => response.writeHead(status, { location }).end(),
      });
      const post = senderFor(loopback(at.port));
      for (location of [
        `https://127.0.0.1:${target.port}/`,
        `https://${HOST}:${target.port}/`,
        `http://127.0.0.1:${target.port}/`,
        'http://169.254.169.254/latest/meta-data/',
        '/hook',
      ]) {
        const error = expect.stringContaining('redirects are not followed');
        expect(await post()).toMatchObject({ outcome: 'rejected', error });
      }
      expect(at.requests).toHaveLength(5);
      expect(target.connections).toHaveLength(0);
    },
  );
});

describe('an endpoint', () => {
  test('is refused at delivery, with the rule, although it was admitted before: its name now has a private address [URL-2]', async () => {
    const at = await receiver();
    let addresses = ['93.184.215.14'];
    const guard = await guardWithDns((question) => addressRecords(question, addresses));
    expect((await guard.admit(`https://${HOST}/hook`)).admitted).toBe(true);
    addresses = ['127.0.0.1'];
    const result = await senderFor(guard)();
    const error = expect.stringContaining('is not reachable from the internet');
    expect(result).toMatchObject({ outcome: 'endpoint_refused', error, trace: { reusedConnection: false } });
    expect(addressOf(result)).toBeUndefined();
    expect(at.connections).toHaveLength(0);
  });
});

describe('the connected address', () => {
  test.each([
    [3, 'delivered'],
    [4, 'connection_failed'],
  ])('is the next vetted one if the first refuse the connection, after %i: %s', async (refusing, outcome) => {
    const at = await receiver();
    const ports = [...CLOSED_PORTS.slice(0, refusing), at.port];
    const targets = ports.map((port) => ({ address: '127.0.0.1', port }));
    const result = await senderFor(guardAdmitting(() => targets))();
    expect(result.outcome).toBe(outcome);
    if (outcome !== 'delivered') expect(errorOf(result)).toBe('the connection was refused');
    expect(at.requests).toHaveLength(outcome === 'delivered' ? 1 : 0);
  });

  test('is the next vetted one if the first does not respond', async () => {
    const at = await receiver();
    const silent = { address: '127.0.0.9', port: at.port };
    const pool = testPool();
    const open = pool.agent.createConnection.bind(pool.agent);
    // No address of loopback is silent, so a socket that stays in connecting simulates one.
    let silentSockets = 0;
    pool.agent.createConnection = (options) => {
      if (options.host !== silent.address) return open(options);
      silentSockets += 1;
      return Object.assign(new Socket(), { connecting: true });
    };
    const targets = [silent, { address: '127.0.0.1', port: at.port }];
    const timers = createManualTimers();
    const post = senderFor(
      guardAdmitting(() => targets),
      timers,
      pool,
    );
    const posted = post();
    await eventually('the time limit of the connect', () => timers.waiting() === 2);
    timers.pass(3_000);
    expect(addressOf(await posted)).toBe('127.0.0.1');

    targets.pop();
    const alone = post();
    await eventually('the connect', () => silentSockets === 2);
    timers.pass(LIMITS.webhookTimeoutMs);
    expect(await alone).toMatchObject({ outcome: 'timed_out', remoteAddress: silent.address });
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
});

describe('the time limit', () => {
  const timeoutText = 'there was no complete response within 10 seconds';

  test('covers the lookup [DELIVERY-13]', async () => {
    const { limit, endTime } = heldLimit();
    const guard = await guardWithDns(() => {
      endTime();
      return { kind: 'silent' };
    });
    const result = await senderFor(guard, limit)();
    expect(result).toMatchObject({ outcome: 'timed_out', error: timeoutText });
    expect(addressOf(result)).toBeUndefined();
  });

  type Server = (endTime: () => void) => Promise<{ readonly port: number }>;
  const responding = (begin: string) => (endTime: () => void) =>
    rawTlsServer((socket) => {
      socket.once('data', () => {
        if (!begin.endsWith('\r\n\r\n') && !begin.endsWith('0\r\n')) drip(socket, begin, endTime);
        else {
          socket.write(begin);
          onceResponseBegan(() => drip(socket, '', endTime));
        }
      });
    });
  const OK = 'HTTP/1.1 200 OK\r\n';
  const opened = { connectMs: expect.any(Number), reusedConnection: false };

  test.each<[string, Server, number | undefined]>([
    [
      'a handshake that hangs',
      (endTime) => rawTcpServer((socket) => socket.once('data', endTime)),
      undefined,
    ],
    ['a server that never responds', (endTime) => receiver({ respond: endTime }), undefined],
    ['headers that arrive byte by byte', responding(`${OK}x-a: `), undefined],
    ['a body that arrives byte by byte', responding(`${OK}content-length: 100000\r\n\r\n`), 200],
    ['a chunk that does', responding(`${OK}transfer-encoding: chunked\r\n\r\n100000\r\n`), 200],
  ])(
    'covers %s: a status alone is not a delivery [DELIVERY-1, DELIVERY-13]',
    async (_what, start, status) => {
      const { limit, endTime } = heldLimit();
      const at = await start(endTime);
      const pool = testPool();
      const result = await senderFor(loopback(at.port), limit, pool)();
      const remoteAddress = '127.0.0.1';
      expect(result).toMatchObject({
        outcome: 'timed_out',
        error: timeoutText,
        remoteAddress,
        trace: opened,
      });
      expect(responseOf(result)?.status).toBe(status);
      await allClosed(pool);
    },
  );

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
