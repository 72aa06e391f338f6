import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { sendCall } from '@partner/test-kit/http-call';
import { z } from 'zod';

/**
 * Attacks a service in every way at once until it gets a message: half-sent, dense and deep bodies, clients that read no response,
 * idle connections, and a flood of requests that are refused. In a separate thread, so that the measuring one has time.
 */

const HALF_SENT_BODIES = 600;
const IDLE_CONNECTIONS = 2_000;
const SLOW_READERS = 40;
/** Requests of a slow reader. */
const UNREAD_RESPONSES = 5;
/** Time between two requests of the flood: 600 a minute, as many as a company may send. */
const FLOOD_EVERY_MS = 100;

const DENSE = Buffer.from(`[${'{},'.repeat(340_000)}{}]`);
const DEEP = Buffer.from(`[${Array.from({ length: 8_500 }, () => '['.repeat(60) + ']'.repeat(60)).join()}]`);
const PART = Buffer.alloc(1_000_000, ' ');
const PART_OF_CHUNK = Buffer.concat([Buffer.from('100000\r\n'), PART]);

const { url, path, read, headers } = z
  .object({
    url: z.string(),
    path: z.string(),
    read: z.string(),
    headers: z.record(z.string(), z.string()),
  })
  .parse(workerData);
const { hostname, port } = new URL(url);
const sent = { ...headers, 'x-forwarded-for': '198.51.100.7', 'content-type': 'application/json' };
const lines = Object.entries(sent)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

function open(): Socket {
  return connect(Number(port), hostname).on('error', () => undefined);
}

function flood(turn: number): void {
  if (turn % 5 === 0) {
    open().resume().end('POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip\r\n\r\n');
    return;
  }
  void sendCall(url, path, {
    method: 'POST',
    headers: turn % 2 === 0 ? sent : { ...sent, 'x-api-key': 'invented' },
    bytes: turn % 4 < 2 ? DENSE : DEEP,
  }).catch(() => undefined);
}

const idle = Array.from({ length: IDLE_CONNECTIONS }, open);
await Promise.all(idle.map((socket) => once(socket, 'connect')));
for (let body = 0; body < HALF_SENT_BODIES; body += 1) {
  const isChunked = body % 2 === 1;
  const socket = open().resume();
  const framing = isChunked ? 'transfer-encoding: chunked' : 'content-length: 1048576';
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\n${lines}${framing}\r\n\r\n`);
  socket.write(isChunked ? PART_OF_CHUNK : PART);
}
for (let reader = 0; reader < SLOW_READERS; reader += 1) {
  open().write(`GET ${read} HTTP/1.1\r\nhost: a\r\n${lines}\r\n`.repeat(UNREAD_RESPONSES));
}
let turn = 0;
setInterval(() => flood(turn++), FLOOD_EVERY_MS);
parentPort?.postMessage('attacking');
