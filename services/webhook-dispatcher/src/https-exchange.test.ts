import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createEndpointGuard } from './endpoint-guard.js';
import type { PostResult } from './https-sender.js';
import {
  allClosed,
  authority,
  CLOSED_PORTS,
  HOST,
  idleConnectionIn,
  loopback,
  openSockets,
  poolOfTest,
  rawTlsServer,
  receiver,
  responseOf,
  senderFor,
} from './testing/sender-fixture.js';
import { createTestAuthority } from './testing/test-certificates.js';

/** A sender, and a server that does this for each request. */
async function talk(onRequest: (socket: TLSSocket, reset: () => void, breakTls: () => void) => void) {
  let requests = 0;
  const at = await rawTlsServer((socket, reset, breakTls) => {
    socket.on('data', () => {
      requests += 1;
      onRequest(socket, reset, breakTls);
    });
  });
  const pool = poolOfTest();
  const post = senderFor(loopback(at.port), undefined, pool);
  return { pool, post, counts: () => ({ requests, connections: at.connections() }) };
}

/** Writes the text repeatedly until the connection is closed, and returns how much was written. */
function flood(socket: Duplex, text: string): () => number {
  let written = 0;
  const write = () => {
    while (!socket.destroyed && written < 1_000_000_000) {
      written += text.length;
      if (!socket.write(text)) break;
    }
  };
  socket.on('drain', write);
  write();
  return () => written;
}

const textOf = (result: PostResult) => Buffer.from(responseOf(result)?.body ?? []).toString();
const FLOOD_BOUND = 50_000_000;

describe('a response', () => {
  test('is kept up to 4 KiB, as received, whatever its decompressed size [DELIVERY-13]', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const at = await receiver({
      respond: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('delivered');
    expect(responseOf(result)?.body).toEqual(bomb.subarray(0, 4_096));
    expect(at.requests[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test.each([
    ['64 KiB or more', 'connection: close', 'x'.repeat(16_384), 4_096],
    [
      'chunks with more framing than content',
      'transfer-encoding: chunked',
      `1;${'x'.repeat(10_000)}\r\na\r\n`,
      99,
    ],
  ])('of %s is cut off, and its status counts [DELIVERY-13]', async (_what, header, text, maxKept) => {
    let written = () => 0;
    const { pool, post } = await talk((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n`);
      written = flood(socket, text);
    });
    const result = await post();
    expect(result.outcome).toBe('delivered');
    expect(responseOf(result)?.body.byteLength).toBeLessThanOrEqual(maxKept);
    await allClosed(pool);
    expect(written()).toBeLessThan(FLOOD_BOUND);
  });

  test.each(['100 Continue', '102 Processing', '103 Early Hints'])(
    'is not awaited after endless interim responses %s',
    async (status) => {
      let written = () => 0;
      const { pool, post } = await talk((socket) => {
        written = flood(socket, `HTTP/1.1 ${status}\r\nx-a: ${'x'.repeat(1_000)}\r\n\r\n`);
      });
      const error = 'there were too many interim responses';
      expect(await post()).toMatchObject({ outcome: 'connection_failed', error });
      await allClosed(pool);
      expect(written()).toBeLessThan(FLOOD_BOUND);
    },
  );

  test.each([
    ['before it begins', ''],
    ['in its headers', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello'],
    ['in its chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('that is lost %s fails the attempt', async (_when, text) => {
    for (const way of ['end', 'reset'] as const) {
      const { post } = await talk((socket, reset) => {
        const breakOff = way === 'end' ? () => socket.end() : reset;
        if (text === '') breakOff();
        else socket.write(text, breakOff);
      });
      const error = 'the connection was closed before the response was complete';
      expect(await post()).toMatchObject({ outcome: 'connection_failed', error });
    }
  });

  const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n';
  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a length with chunks', `${CHUNKED}content-length: 5\r\n\r\n0\r\n\r\n`],
    ['huge headers', `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['HTTP/2 frames', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80'],
    ['a length beyond numbers', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(30)}\r\n\r\nhello`],
    ['a chunk that is longer than it says', `${CHUNKED}\r\n2\r\nhello\r\n0\r\n\r\n`],
    ['the status 000', 'HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n'],
    ['the status 000 and a body without end', 'HTTP/1.1 000 None\r\n\r\nhello'],
    ['the status 099 and a body', 'HTTP/1.1 099 None\r\ncontent-length: 5\r\n\r\nhello'],
  ])('of %s fails the attempt, and its connection is not reused', async (what, text) => {
    const { pool, post, counts } = await talk((socket) => void socket.write(text, 'latin1'));
    const error = `the ${what === 'huge headers' ? 'headers of the response were too large' : 'response was not valid HTTP'}`;
    for (const attempts of [1, 2]) {
      const result = await post();
      expect(result).toMatchObject({ outcome: 'connection_failed', error });
      if (what.startsWith('the status')) expect(responseOf(result)).toBeUndefined();
      await allClosed(pool);
      expect(counts()).toEqual({ requests: attempts, connections: attempts });
    }
  });

  test.each(['1.0', '1.1'])(
    'of HTTP/%s without a length lasts until the connection is closed',
    async (version) => {
      const { pool, post } = await talk((socket) => socket.end(`HTTP/${version} 200 OK\r\n\r\nhello`));
      const result = await post();
      expect([result.outcome, textOf(result)]).toEqual(['delivered', 'hello']);
      await allClosed(pool);
    },
  );

  test('that arrives before the request was read counts, and nothing more is sent', async () => {
    const { pool, post } = await talk((socket) => {
      socket.pause().write('HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n');
    });
    const result = await post({ body: Buffer.alloc(50_000_000) });
    expect(responseOf(result)?.status).toBe(413);
    await allClosed(pool);
  });
});

describe('a complete response', () => {
  const excess = [
    'received',
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother',
    '\0\u0016\u0003\u00ff'.repeat(20_000),
  ];
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const heads = [
    ['no body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 200, ''],
    [
      'chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-t: a\r\n\r\n',
      200,
      'ok',
    ],
    ['status 204', 'HTTP/1.1 204 No Content\r\ncontent-length: 8\r\n\r\n', 204, ''],
    ['status 304', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 8\r\n\r\n', 304, ''],
    ['connection: close', OK.replace('\r\n', '\r\nconnection: close\r\n'), 200, 'ok'],
    ['HTTP/1.0', OK.replace('1.1', '1.0'), 200, 'ok'],
    ['another status', OK.replace('200 OK', '503 Later'), 503, 'ok'],
    ['interim responses', `HTTP/1.1 103 Early Hints\r\n\r\n${OK}`, 200, 'ok'],
  ] as const;

  test.each(heads)(
    'with %s counts, and what follows it is discarded with the connection [DELIVERY-28]',
    async (_what, head, status, body) => {
      for (const rest of excess) {
        for (const isLater of [false, true]) {
          const { pool, post, counts } = await talk((socket) => {
            if (isLater) socket.write(head, 'latin1', () => socket.write(rest, 'latin1'));
            else socket.write(head + rest, 'latin1');
          });
          for (const attempts of [1, 2]) {
            const result = await post();
            expect(result.outcome).toBe(status < 300 ? 'delivered' : 'rejected');
            expect([responseOf(result)?.status, textOf(result)]).toEqual([status, body]);
            await allClosed(pool);
            expect(counts()).toEqual({ requests: attempts, connections: attempts });
          }
        }
      }
    },
  );

  test.each(['reset', 'TLS error'])(
    'counts although the connection then breaks with a %s [DELIVERY-28]',
    async (way) => {
      for (const [, head, status] of heads) {
        const { pool, post } = await talk((socket, reset, breakTls) => {
          socket.write(head, way === 'reset' ? reset : breakTls);
        });
        expect(responseOf(await post())?.status).toBe(status);
        await allClosed(pool);
      }
    },
  );

  test('closes a kept connection when bytes arrive on it: they belong to no POST [DELIVERY-28]', async () => {
    const opened: Duplex[] = [];
    const { pool, post, counts } = await talk((socket) => {
      opened.push(socket);
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    for (const bytes of ['HTTP/1.1 200 OK\r\ncontent-le', ' ', OK]) {
      expect((await post()).outcome).toBe('delivered');
      await idleConnectionIn(pool);
      for (const socket of openSockets(pool)) socket.setTimeout(0);
      opened.at(-1)?.write(bytes);
      await allClosed(pool);
    }
    expect(counts().connections).toBe(3);
  });
});

describe('the trace', () => {
  const shown = {
    subject: 'Test server',
    issuer: expect.stringMatching(/^Test authority /),
    validFrom: expect.any(Date),
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

  test('has the certificate that was refused', async () => {
    const notAfter = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000);
    const stranger = await createTestAuthority();
    const refused = [
      await authority.issue({ names: [HOST], notAfter }),
      await authority.issue({ names: ['other.partner.test'], notAfter, subject: 'O=Other' }),
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
    expect((await senderFor(loopback(CLOSED_PORTS[0]))()).trace).toEqual({ reusedConnection: false });
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
});
