import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { invariant } from './invariant.js';
import { closeServer, listen } from './listen.js';
import { createRecorder } from '@partner/test-kit/recorder';
import { drainWithinBounds } from './drain-within-bounds.js';
import { createHttpServer, drainServer } from './http-server.js';

const servers: Server[] = [];

async function start(
  app: RequestListener,
  refusalHeaders?: Readonly<Record<string, string>>,
): Promise<{ server: Server; port: number }> {
  const server = createHttpServer(app, refusalHeaders);
  servers.push(server);
  return { server, port: await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' }) };
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map(closeServer));
});

/** A server whose responses wait until the test finishes them. */
async function startHeld() {
  const begun = createRecorder<() => void>();
  const started = await start((request, response) => begun.record(() => ok(request, response)));
  return { ...started, begun };
}

const ok: RequestListener = (_request, response) => response.end('{"ok":true}');

/** Sends bytes on a new connection and resolves to all bytes received until it closes. */
async function exchange(port: number, ...parts: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  for (const part of parts) socket.write(part);
  return text(socket);
}

function assertError(received: string, status: string, code: string): void {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  expect(head.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`);
  const parsed = errorBody.parse(JSON.parse(body));
  expect(parsed.code).toBe(code);
  expect(head).toContain(`x-request-id: ${parsed.requestId}`);
}

describe('requests that Node refuses before the app sees them', () => {
  test.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n', '400 Bad Request'],
    ['a malformed header', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', '400 Bad Request'],
    ['two lengths', 'POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', '400 Bad Request'],
    [
      'a length with chunks',
      'POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
      '400 Bad Request',
    ],
    [
      'long headers',
      `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
  ])(
    'has an error body, a request id and the headers of the surface: %s [HTTP-7]',
    async (_what, bytes, status) => {
      const { port } = await start(ok, { 'x-svc-api-version': '2026-08-26' });
      const received = await exchange(port, bytes);
      assertError(received, status, 'invalid_argument');
      expect(received).toContain('\r\nx-svc-api-version: 2026-08-26\r\n');
    },
  );

  test('includes CONNECT, which no path allows [HTTP-7]', async () => {
    const { port } = await start(ok);
    const received = await exchange(port, 'CONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n');
    assertError(received, '405 Method Not Allowed', 'method_not_allowed');
    expect(received).toContain('\r\nallow:\r\n');
  });

  test('does not include unknown expectations', async () => {
    const { port } = await start(ok);
    const received = await exchange(port, 'GET / HTTP/1.1\r\nexpect: wonders\r\nconnection: close\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test.each([
    ['headers', 'GET / HTTP/1.1\r\nx: y'],
    ['a body', 'POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{'],
  ])('has the time limit for %s that its error names [HTTP-7]', async (_what, bytes) => {
    const { server, port } = await start(() => undefined);
    expect([server.headersTimeout, server.requestTimeout]).toEqual([30_000, 30_000]);
    server.headersTimeout = server.requestTimeout = 1;
    const received = await exchange(port, bytes);
    assertError(received, '408 Request Timeout', 'invalid_argument');
    expect(received).toContain('request: must arrive within 30 seconds');
  });
});

describe('a refusal by Node', () => {
  const garbage = 'garbage\r\n\r\n';

  test.each([
    ['surplus bytes after its body', `POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}${garbage}`],
    ['CONNECT behind it', 'GET / HTTP/1.1\r\n\r\nCONNECT a.example:443 HTTP/1.1\r\nhost: a.example\r\n\r\n'],
    [
      'a malformed body of the next request',
      `GET / HTTP/1.1\r\n\r\nPOST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n${garbage}`,
    ],
  ])('never replaces the response to a complete request: %s [HTTP-7]', async (_what, bytes) => {
    const refused = createRecorder<string>();
    const { server, port, begun } = await startHeld();
    for (const event of ['clientError', 'connect']) server.on(event, () => refused.record(event));
    const received = exchange(port, bytes);
    const [finish] = await begun.atLeast(1);
    await refused.atLeast(1);
    finish?.();
    const [head = '', body] = (await received).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 200 OK/);
    expect(head).toContain('connection: close');
    expect(body).toBe('{"ok":true}');
  });

  test('waits for the response in flight once, even if the client sends more', async () => {
    const begun = createRecorder<ServerResponse>();
    const refused = createRecorder<Duplex>();
    const { server, port } = await start((_request, response) => {
      response.write('{');
      begun.record(response);
    });
    server.on('clientError', (_error, socket) => refused.record(socket));
    const received = exchange(port, `GET / HTTP/1.0\r\n\r\n${garbage}`);
    const [response] = await begun.atLeast(1);
    const [socket] = await refused.atLeast(1);
    invariant(response && socket, 'the request and its surplus bytes arrived');
    expect(socket.isPaused()).toBe(true);
    const waiting = response.listenerCount('finish');
    server.emit('clientError', new Error('surplus bytes'), socket);
    expect(response.listenerCount('finish')).toBe(waiting);
    response.end('}');
    expect((await received).split('\r\n\r\n')[1]).toBe('{}');
  });

  test('comes after a complete response', async () => {
    const { port } = await start(ok);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\n\r\n');
    const first: unknown[] = await once(socket, 'data');
    expect(String(first[0])).toMatch(/^HTTP\/1.1 200 OK/);
    socket.write(garbage);
    assertError(await text(socket), '400 Bad Request', 'invalid_argument');
  });

  test('responds to the request whose own body is malformed', async () => {
    const begun = createRecorder<string>();
    const { port } = await start((request) => begun.record(request.url ?? ''));
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n');
    await begun.atLeast(1);
    socket.write(garbage);
    assertError(await text(socket), '400 Bad Request', 'invalid_argument');
  });
});

test('a client that does not read its response is cut off', async () => {
  const closed = createRecorder<string>();
  const { server, port } = await start((_request, response) => {
    response.once('close', () => closed.record('closed'));
    // More than the socket buffers hold.
    response.end(Buffer.alloc(64 * 1_024 * 1_024));
  });
  expect(server.timeout).toBe(60_000);
  server.timeout = 100;
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  await closed.atLeast(1);
  socket.destroy();
});

describe('a server that is closed', () => {
  test('does not wait for idle connections, or for ones without a request yet', async () => {
    const { server, port } = await start(ok);
    const unused = connect(port, '127.0.0.1').resume();
    await once(server, 'connection');
    const idle = connect(port, '127.0.0.1');
    idle.write('GET / HTTP/1.1\r\n\r\n');
    await once(idle, 'data');
    const ended = [once(unused, 'close'), once(idle.resume(), 'close')];
    await closeServer(server);
    expect(await Promise.all(ended)).toHaveLength(2);
  });
});

describe('a server that is drained', () => {
  const REQUEST = 'GET / HTTP/1.1\r\n\r\n';

  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  test('sends a last response on open and new connections, and ends with the last of them', async () => {
    const { server, port } = await start(ok);
    const kept = connect(port, '127.0.0.1');
    kept.write(REQUEST);
    const before: unknown[] = await once(kept, 'data');
    expect(String(before[0])).toContain('Connection: keep-alive');
    const drained = drainServer(server);
    kept.write(REQUEST);
    for (const received of await Promise.all([exchange(port, REQUEST), text(kept)])) {
      expect(received).toMatch(/^HTTP\/1.1 200 OK/);
      expect(received.match(/connection: close/g)).toHaveLength(1);
    }
    await drained;
    expect(server.listening).toBe(false);
  });

  test('closes idle connections after its time limit, and announces the close with a response in flight', async () => {
    const { server, port, begun } = await startHeld();
    const idle = connect(port, '127.0.0.1').resume();
    await once(server, 'connection');
    const received = [exchange(port, REQUEST), exchange(port, REQUEST)];
    const [first, last] = await begun.atLeast(2);
    const drained = drainServer(server);
    first?.();
    expect(await Promise.race(received)).toContain('connection: close');
    jest.advanceTimersByTime(2_000);
    await once(idle, 'close');
    last?.();
    for (const each of received) expect(await each).toMatch(/connection: close[^]*{"ok":true}/);
    await drained;
  });

  test('ends at once without a connection', async () => {
    const { server } = await start(ok);
    await drainServer(server);
    expect(server.listening).toBe(false);
  });
});

describe('a request that still sends after its response', () => {
  const refuse: RequestListener = (request, response) => {
    drainWithinBounds(request);
    response.statusCode = 413;
    response.end('{}');
  };

  test('is read well beyond the body limit, so that the connection can be reused', async () => {
    const { port } = await start(refuse);
    const body = 'x'.repeat(2_000_000);
    const received = await exchange(
      port,
      `POST / HTTP/1.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      'GET / HTTP/1.1\r\nconnection: close\r\n\r\n',
    );
    expect(received.match(/HTTP\/1.1 413/g)).toHaveLength(2);
  });

  test('shares a bounded rate of reading with all others, and is cut off after 2 s', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const { server, port } = await start(refuse);
      const served: Socket[] = [];
      server.on('connection', (socket) => served.push(socket));
      const bytesRead = () => served.reduce((total, socket) => total + socket.bytesRead, 0);
      const clients = Array.from({ length: 20 }, () => {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        socket.write(`POST / HTTP/1.1\r\ncontent-length: 8000000\r\n\r\n${'x'.repeat(4_000_000)}`);
        return socket;
      });
      await Promise.all(clients.map((socket) => once(socket, 'data')));
      const before = bytesRead();
      jest.advanceTimersByTime(50);
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      expect(before).toBeLessThan(20 * 200_000);
      expect(bytesRead() - before).toBeLessThan(4 * 600_000);
      const closed = Promise.all(
        clients.map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
      jest.advanceTimersByTime(2_000);
      await closed;
    } finally {
      jest.useRealTimers();
    }
  });

  test('gets its response before it was sent completely, and is cut off beyond the limit', async () => {
    const { port } = await start(refuse);
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('POST / HTTP/1.1\r\ncontent-length: 100000000\r\n\r\n');
    const first: unknown[] = await once(socket, 'data');
    expect(String(first[0])).toMatch(/^HTTP\/1.1 413/);
    const part = 'x'.repeat(65_536);
    const push = () => {
      while (socket.writable && socket.write(part));
    };
    socket.on('drain', push);
    push();
    await closed;
    expect(socket.bytesWritten).toBeLessThan(50_000_000);
  });
});
