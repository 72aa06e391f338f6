import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { startReceiver } from '@partner/test-kit/receiver';
import { createConnectionPool } from './connection-pool.js';
import {
  HOST,
  addressOf,
  authority,
  certificate,
  guardAdmitting,
  heldLimit,
  idleConnectionIn,
  loopback,
  POOL,
  openSockets,
  rawTcpServer,
  rawTlsServer,
  receiver,
  senderFor,
  testPool,
} from './testing/sender-fixture.js';
import { createTestAuthority } from './testing/test-certificates.js';

/** Responds with 204 and closes the connection. */
const respondAndClose = (_request: unknown, response: ServerResponse) =>
  void response.writeHead(204, { connection: 'close' }).end();

describe('TLS', () => {
  const hour = 3_600_000;
  const otherHost = 'the certificate is for another host name';

  const selfSigned = { names: [HOST], selfSigned: true };
  const onlyInCommonName = { names: ['other.partner.test'], subject: `CN=${HOST}` };
  test.each([
    ['expired', { names: [HOST], notAfter: new Date(Date.now() - hour) }, 'the certificate has expired'],
    ['early', { names: [HOST], notBefore: new Date(Date.now() + hour) }, 'the certificate is not valid yet'],
    ['self-signed', selfSigned, 'the certificate is self-signed'],
    ['for another host', { names: ['other.partner.test'] }, otherHost],
    ['for the host in its common name only', onlyInCommonName, otherHost],
  ])('fails for a certificate that is %s [DELIVERY-1]', async (_what, subject, error) => {
    const at = await receiver({ certificate: await authority.issue(subject) });
    expect(await senderFor(loopback(at.port))()).toMatchObject({ outcome: 'tls_failed', error });
    expect(at.requests).toHaveLength(0);
  });

  test("fails for an authority that is not trusted, as a test's by default, and for versions before 1.2", async () => {
    const stranger = await createTestAuthority();
    const at = await receiver({ certificate: await stranger.issue({ names: [HOST] }) });
    const error = expect.stringContaining('not signed by a trusted authority');
    expect(await senderFor(loopback(at.port))()).toMatchObject({ outcome: 'tls_failed', error });
    const own = await receiver();
    const byDefault = await senderFor(loopback(own.port), undefined, createConnectionPool(POOL))();
    const old = await receiver({ maxVersion: 'TLSv1.1' });
    const outcomes = [byDefault.outcome, (await senderFor(loopback(old.port))()).outcome];
    expect(outcomes).toEqual(['tls_failed', 'tls_failed']);
    expect([at, own, old].flatMap(({ requests }) => requests)).toEqual([]);
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

  test.each<[string, (socket: Socket) => unknown]>([
    ['speaks another protocol', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')],
    ['closes during the handshake', (socket) => socket.once('data', () => socket.destroy())],
    ['resets during the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ])('fails when the server %s', async (_what, onConnection) => {
    const at = await rawTcpServer(onConnection);
    const result = await senderFor(loopback(at.port))();
    expect(result).toMatchObject({ outcome: 'tls_failed', error: 'the TLS handshake failed' });
  });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a TLS session of %s is not resumed, so each connection is verified by its certificate',
  async (maxVersion) => {
    const shared = { maxVersion, ticketKeys: randomBytes(48), respond: respondAndClose };
    const first = await startReceiver({ ...shared, certificate });
    const pool = testPool();
    const post = senderFor(loopback(first.port), undefined, pool);
    expect([(await post()).outcome, (await post()).outcome]).toEqual(['delivered', 'delivered']);
    expect(first.connections.map(({ resumed }) => resumed)).toEqual([false, false]);
    await first.close();
    const expired = await authority.issue({ names: [HOST], notAfter: new Date(Date.now() - 3_600_000) });
    const successor = await receiver({ ...shared, port: first.port, certificate: expired });
    expect((await post()).outcome).toBe('tls_failed');
    expect(successor.requests).toHaveLength(0);
  },
);

describe('a kept connection', () => {
  test.each([
    [
      'is not used when DNS no longer returns its address [URL-3]',
      {
        resolved: [['127.0.0.2'], ['127.0.0.3'], ['127.0.0.2']],
        dialled: ['127.0.0.2', '127.0.0.3', '127.0.0.2'],
      },
    ],
    [
      'is preferred to a new one if DNS returns its address at any position',
      { resolved: [['127.0.0.2'], ['127.0.0.3', '127.0.0.2']], dialled: ['127.0.0.2', '127.0.0.2'] },
    ],
  ])('%s', async (_title, { resolved, dialled }) => {
    const first = await receiver({ host: '127.0.0.2' });
    const second = await receiver({ host: '127.0.0.3', port: first.port });
    let posted = 0;
    const post = senderFor(
      guardAdmitting(() => (resolved[posted] ?? []).map((address) => ({ address, port: first.port }))),
    );
    for (const address of dialled) {
      expect(addressOf(await post())).toBe(address);
      posted += 1;
    }
    expect([first, second].map(({ connections }) => connections.length)).toEqual([
      1,
      dialled.includes('127.0.0.3') ? 1 : 0,
    ]);
  });

  test('is not shared with another host name at the same address', async () => {
    const other = 'other.partner.test';
    const at = await receiver({ certificate: await authority.issue({ names: [HOST, other] }) });
    const pool = testPool();
    const targets = () => [{ address: '127.0.0.1', port: at.port }];
    await senderFor(guardAdmitting(targets), undefined, pool)();
    await senderFor(guardAdmitting(targets, other), undefined, pool)({ url: `https://${other}/hook` });
    expect(at.connections.map(({ servername }) => servername)).toEqual([HOST, other]);
  });

  test.each([2, 3])('is kept for as many attempts as may be in flight: %i', async (concurrency) => {
    const held: ServerResponse[] = [];
    const at = await receiver({
      respond: (_request, response) => {
        held.push(response);
        if (held.length === 3) for (const each of held) each.writeHead(204).end();
      },
    });
    const pool = testPool({ concurrency });
    let freed = 0;
    const allFreed = new Promise<void>((resolve) => {
      pool.agent.on('free', () => {
        freed += 1;
        if (freed === 3) resolve();
      });
    });
    const post = senderFor(loopback(at.port), undefined, pool);
    await Promise.all([post(), post(), post(), allFreed]);
    expect(Object.values(pool.agent.freeSockets).flat()).toHaveLength(concurrency);
  });

  test('that the receiver closed while it was idle is not reused', async () => {
    const at = await rawTlsServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 204 No Content\r\n\r\n');
        socket.once('data', () => undefined);
      });
    });
    const pool = testPool();
    const post = senderFor(loopback(at.port), undefined, pool);
    for (let index = 0; index < 3; index += 1) {
      expect((await post()).outcome).toBe('delivered');
      await idleConnectionIn(pool);
      const closed = openSockets(pool).map((socket) => once(socket, 'close'));
      at.end();
      await Promise.all(closed);
    }
    expect(at.connections()).toBe(3);
  });

  test('that the receiver reset before its reuse carries nothing: the POST goes over a new one [DELIVERY-19]', async () => {
    const posted: TLSSocket[] = [];
    const at = await rawTlsServer((socket) => {
      socket.on('data', () => {
        posted.push(socket);
        // The first two receive their responses together, so that two connections are kept.
        if (posted.length === 1) return;
        for (const each of posted.slice(-2)) each.write('HTTP/1.1 204 No Content\r\n\r\n');
      });
    });
    const pool = testPool();
    const post = senderFor(loopback(at.port), undefined, pool);
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
