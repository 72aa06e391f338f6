import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { closeServer, listen } from '@partner/kernel/listen';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';
import { createHttpServer } from '@partner/kernel/http-server';
import { createUnreadResponses } from './unread-responses.js';

/** More than the system's socket buffers hold. */
const ANSWER = Buffer.alloc(16 * 1_024 * 1_024, 'a');
/** Room for two responses, not for three. */
const MOST_BYTES = 40 * 1_024 * 1_024;

let server: Server;
let port: number;
let clients: Socket[];
/** Paths of requests whose response was sent. */
let answered: Recorder<string>;
/** Connections that the server closed. */
let closed: Recorder<void>;

beforeEach(async () => {
  const unread = createUnreadResponses(MOST_BYTES);
  clients = [];
  answered = createRecorder();
  closed = createRecorder();
  server = createHttpServer((request, response) => {
    if (request.url !== '/never') {
      unread.add(response, ANSWER.length);
      response.end(ANSWER);
    }
    answered.record(request.url ?? '');
  });
  server.on('connection', (socket) => socket.once('close', () => closed.record()));
  port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await closeServer(server);
});

/** Sends requests on a connection of its own and reads nothing until it is resumed. */
async function ask(...paths: readonly string[]): Promise<Socket> {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.pause();
  clients.push(client);
  const before = answered.all().length;
  client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''));
  await answered.atLeast(before + paths.length);
  return client;
}

/** Counts the bytes of a connection until it has received a response with its head, or is closed. */
async function taken(client: Socket): Promise<number> {
  let bytes = 0;
  const whole = new Promise<void>((resolve) => {
    client.on('data', (chunk) => {
      bytes += chunk.length;
      if (bytes > ANSWER.length) resolve();
    });
  });
  const closed = once(client, 'close');
  client.resume();
  await Promise.race([whole, closed]);
  return bytes;
}

test('closes the connection that has waited longest, when the bound would be exceeded', async () => {
  const oldest = await ask('/1');
  const second = await ask('/2');
  const newest = await ask('/3');
  expect(await taken(oldest)).toBeLessThan(ANSWER.length);
  expect(await taken(second)).toBeGreaterThan(ANSWER.length);
  expect(await taken(newest)).toBeGreaterThan(ANSWER.length);
});

test('counts no response that was read', async () => {
  const unreading = await ask('/1');
  for (const path of ['/2', '/3', '/4']) expect(await taken(await ask(path))).toBeGreaterThan(ANSWER.length);
  expect(await taken(unreading)).toBeGreaterThan(ANSWER.length);
});

test('counts nothing of a closed connection, including responses queued behind an earlier one', async () => {
  const oldest = await ask('/1');
  const gone = await ask('/never', '/2');
  gone.destroy();
  await closed.atLeast(1);
  await ask('/3');
  expect(await taken(oldest)).toBeGreaterThan(ANSWER.length);
});

test('closes a connection that alone exceeds the bound', async () => {
  const greedy = await ask('/never', '/1', '/2', '/3');
  expect(await taken(greedy)).toBe(0);
});
