import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { createUnreadResponses } from './unread-responses.js';

/** More than the system's socket buffers hold. */
const BODY = Buffer.alloc(16 * 1_024 * 1_024, 'a');
/** Room for two responses, not for three. */
const MOST_BYTES = 40 * 1_024 * 1_024;

let server: Server;
let port: number;
let clients: Socket[];
/** Paths of requests whose response was sent. */
let responded: Recorder<string>;
/** Connections that the server closed. */
let closed: Recorder<void>;

beforeEach(async () => {
  const unread = createUnreadResponses(MOST_BYTES);
  clients = [];
  responded = createRecorder();
  closed = createRecorder();
  server = createHttpServer((request, response) => {
    if (request.url !== '/never') {
      unread.add(response, BODY.length);
      response.end(BODY);
    }
    responded.record(request.url ?? '');
  });
  server.on('connection', (socket) => socket.once('close', () => closed.record()));
  port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await closeServer(server);
});

/** Sends requests on a new connection and reads nothing until it is resumed. */
async function open(...paths: readonly string[]): Promise<Socket> {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.pause();
  clients.push(client);
  const before = responded.all().length;
  client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
  await responded.atLeast(before + paths.length);
  return client;
}

/** Counts the bytes of a connection until it has received a response with its head, or is closed. */
async function taken(client: Socket): Promise<number> {
  let bytes = 0;
  const whole = new Promise<void>((resolve) => {
    client.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > BODY.length) resolve();
    });
  });
  const closed = once(client, 'close');
  client.resume();
  await Promise.race([whole, closed]);
  return bytes;
}

test('closes the connection that has waited longest, when the bound would be exceeded', async () => {
  const oldest = await open('/1');
  const second = await open('/2');
  const newest = await open('/3');
  expect(await taken(oldest)).toBeLessThan(BODY.length);
  expect(await taken(second)).toBeGreaterThan(BODY.length);
  expect(await taken(newest)).toBeGreaterThan(BODY.length);
});

test('counts no response that was read', async () => {
  const unreading = await open('/1');
  for (const path of ['/2', '/3', '/4']) expect(await taken(await open(path))).toBeGreaterThan(BODY.length);
  expect(await taken(unreading)).toBeGreaterThan(BODY.length);
});

test('counts nothing of a closed connection, including responses queued behind an earlier one', async () => {
  const oldest = await open('/1');
  const gone = await open('/never', '/2');
  gone.destroy();
  await closed.atLeast(1);
  await open('/3');
  expect(await taken(oldest)).toBeGreaterThan(BODY.length);
});

test('closes a connection that alone exceeds the bound', async () => {
  const greedy = await open('/never', '/1', '/2', '/3');
  expect(await taken(greedy)).toBe(0);
});
