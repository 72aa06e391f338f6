import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import {
  allClosed,
  idleConnectionIn,
  loopback,
  openSockets,
  rawTlsServer,
  receiver,
  responseOf,
  senderFor,
  testPool,
} from './testing/sender-fixture.js';

describe('a response', () => {
  test('is kept up to 4 KiB [DELIVERY-13]', async () => {
    const at = await receiver({
      respond: (_request, response) => response.writeHead(200).end('a'.repeat(4_095) + 'b'.repeat(5_000)),
    });
    const response = responseOf(await senderFor(loopback(at.port))());
    expect(Buffer.from(response?.body ?? []).toString()).toBe(`${'a'.repeat(4_095)}b`);
  });

  test('of 64 KiB or more is cut off, and its status counts [DELIVERY-13]', async () => {
    let written = 0;
    let closed: Promise<unknown> | undefined;
    const at = await receiver({
      respond: (_request, response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(16 * 1_024);
        const write = () => {
          while (!response.destroyed && written < 1_000_000_000) {
            written += chunk.length;
            if (!response.write(chunk)) break;
          }
        };
        response.on('drain', write);
        closed = once(response, 'close');
        write();
      },
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('delivered');
    expect(responseOf(result)?.body).toHaveLength(4_096);
    await closed;
    expect(written).toBeLessThan(50_000_000);
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
    ['no HTTP', 'hello\r\n\r\n'],
    [
      'a length with chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'huge headers',
      `HTTP/1.1 200 OK\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`,
      'the headers of the response were too large',
    ],
    ['HTTP/2 frames', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x80'],
    ['a length beyond numbers', `HTTP/1.1 200 OK\r\ncontent-length: ${'9'.repeat(30)}\r\n\r\nhello`],
    [
      'a chunk that is longer than it says',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhello\r\n0\r\n\r\n',
    ],
  ])(
    'of %s fails the attempt and leaves nothing open',
    async (_what, text, error = 'the response was not valid HTTP') => {
      const at = await rawTlsServer((socket) => socket.once('data', () => socket.write(text, 'latin1')));
      const pool = testPool();
      const result = await senderFor(loopback(at.port), undefined, pool)();
      expect(result).toMatchObject({ outcome: 'connection_failed', error });
      await allClosed(pool);
      expect(at.connections()).toBe(1);
    },
  );

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
    const pool = testPool();
    const post = senderFor(loopback(at.port), undefined, pool);
    for (const attempts of [1, 2]) {
      const result = await post();
      expect(result).toMatchObject({
        outcome: 'connection_failed',
        error: 'the response was not valid HTTP',
      });
      expect(responseOf(result)).toBeUndefined();
      await allClosed(pool);
      expect([requests, at.connections()]).toEqual([attempts, attempts]);
    }
  });
});

describe('a complete response', () => {
  const excess = [
    ['text', 'received'],
    ['another response', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother'],
    ['noise', '\0\u0016\u0003\u00ff'.repeat(20_000)],
  ] as const;
  const heads = [
    ['no body', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n', 200, ''],
    ['a length', 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok', 201, 'ok'],
    [
      'chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nx-trailer: a\r\n\r\n',
      200,
      'ok',
    ],
    ['status 204', 'HTTP/1.1 204 No Content\r\ncontent-length: 8\r\n\r\n', 204, ''],
    ['status 304', 'HTTP/1.1 304 Not Modified\r\ncontent-length: 8\r\n\r\n', 304, ''],
    ['connection: close', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok', 200, 'ok'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok', 200, 'ok'],
    ['another status', 'HTTP/1.1 503 Later\r\nretry-after: 7\r\ncontent-length: 4\r\n\r\nwait', 503, 'wait'],
    [
      'interim responses',
      'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok',
      200,
      'ok',
    ],
  ] as const;

  test.each(heads)(
    'with %s counts, and what follows it is discarded with the connection [DELIVERY-28]',
    async (_what, head, status, body) => {
      for (const [, rest] of excess) {
        for (const when of ['in the same segment', 'later'] as const) {
          let requests = 0;
          const at = await rawTlsServer((socket) => {
            socket.on('data', () => {
              requests += 1;
              if (when === 'later') socket.write(head, 'latin1', () => socket.write(rest, 'latin1'));
              else socket.write(head + rest, 'latin1');
            });
          });
          const pool = testPool();
          const post = senderFor(loopback(at.port), undefined, pool);
          for (const attempts of [1, 2]) {
            const result = await post();
            expect(result.outcome).toBe(status < 300 ? 'delivered' : 'rejected');
            expect(responseOf(result)?.status).toBe(status);
            expect(Buffer.from(responseOf(result)?.body ?? []).toString()).toBe(body);
            await allClosed(pool);
            expect([requests, at.connections()]).toEqual([attempts, attempts]);
          }
        }
      }
    },
  );

  test('counts although the connection then breaks with a reset or a TLS error [DELIVERY-28]', async () => {
    for (const [, head, status] of heads) {
      for (const way of ['reset', 'TLS error'] as const) {
        const at = await rawTlsServer((socket, reset, breakTls) => {
          const breakOff = way === 'reset' ? reset : breakTls;
          socket.once('data', () => socket.write(head, breakOff));
        });
        const pool = testPool();
        const result = await senderFor(loopback(at.port), undefined, pool)();
        expect(responseOf(result)?.status).toBe(status);
        expect(result.outcome).toBe(status < 300 ? 'delivered' : 'rejected');
        await allClosed(pool);
      }
    }
  });

  test('closes a kept connection when bytes arrive on it: they belong to no POST [DELIVERY-28]', async () => {
    const opened: Duplex[] = [];
    const at = await rawTlsServer((socket) => {
      opened.push(socket);
      socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    });
    const pool = testPool();
    const post = senderFor(loopback(at.port), undefined, pool);
    for (const bytes of [
      'HTTP/1.1 200 OK\r\ncontent-le',
      ' ',
      'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    ]) {
      expect((await post()).outcome).toBe('delivered');
      await idleConnectionIn(pool);
      for (const socket of openSockets(pool)) socket.setTimeout(0);
      opened.at(-1)?.write(bytes);
      await allClosed(pool);
    }
    expect(at.connections()).toBe(3);
  });
});

describe('a response of unusual framing', () => {
  test('without a length lasts until the connection is closed', async () => {
    for (const version of ['1.0', '1.1']) {
      const at = await rawTlsServer((socket) =>
        socket.once('data', () => socket.end(`HTTP/${version} 200 OK\r\n\r\nhello`)),
      );
      const pool = testPool();
      const result = await senderFor(loopback(at.port), undefined, pool)();
      expect(result.outcome).toBe('delivered');
      expect(Buffer.from(responseOf(result)?.body ?? []).toString()).toBe('hello');
      await allClosed(pool);
    }
  });

  test('that is compressed is kept as received, regardless of its decompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const at = await receiver({
      respond: (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    });
    const result = await senderFor(loopback(at.port))();
    expect(result.outcome).toBe('delivered');
    expect(responseOf(result)?.body).toEqual(bomb.subarray(0, 4_096));
    expect(at.requests[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test('is cut off when its chunks have more framing than content', async () => {
    const { at, written } = await floodingServer(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      `1;${'x'.repeat(10_000)}\r\na\r\n`,
    );
    const pool = testPool();
    const result = await senderFor(loopback(at.port), undefined, pool)();
    expect(result.outcome).toBe('delivered');
    await allClosed(pool);
    expect(written()).toBeLessThan(50_000_000);
    expect(responseOf(result)?.body.byteLength).toBeLessThan(100);
  });

  test('is not awaited after endless interim responses', async () => {
    for (const status of ['100 Continue', '102 Processing', '103 Early Hints']) {
      const { at, written } = await floodingServer(
        '',
        `HTTP/1.1 ${status}\r\nx-a: ${'x'.repeat(1_000)}\r\n\r\n`,
      );
      const pool = testPool();
      const result = await senderFor(loopback(at.port), undefined, pool)();
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
    const pool = testPool();
    const post = senderFor(loopback(at.port), undefined, pool);
    const result = await post({ body: Buffer.alloc(50_000_000) });
    expect(responseOf(result)?.status).toBe(413);
    await allClosed(pool);
  });
});
