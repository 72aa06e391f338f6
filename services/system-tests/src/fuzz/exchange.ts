import { Buffer } from 'node:buffer';
import { type IncomingMessage, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { OddRequest } from './odd-request.js';

/** What came back. */
export interface Exchange {
  readonly status: number;
  header(name: string): string | undefined;
  readonly text: string;
}

const TIMEOUT_MS = 60_000;

/**
 * Sends a request as it is, repeated headers included, and reads the whole response; of a stream of events only the head. Rejects
 * when there is none.
 */
export async function exchange(baseUrl: string, odd: OddRequest): Promise<Exchange> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const request = sendRequest({
      hostname,
      port,
      method: odd.method,
      path: odd.target,
      headers: [
        'host',
        hostname,
        ...odd.headers.flatMap(([name, value]) => [name, value]),
        ...(odd.body === undefined ? [] : ['content-length', String(odd.body.length)]),
      ],
      signal: AbortSignal.timeout(TIMEOUT_MS),
      agent: false,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
        resolve({
          status: response.statusCode ?? 0,
          header: (name) => response.headers[name]?.toString(),
          text: '',
        });
        response.on('error', () => undefined).destroy();
        return;
      }
      text(decoded(response)).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 0,
            header: (name) => response.headers[name]?.toString(),
            text: body,
          }),
        reject,
      );
    });
    request.end(odd.body);
  });
}

/** The body without its content coding. */
function decoded(response: IncomingMessage): Readable {
  switch (response.headers['content-encoding']) {
    case 'br':
      return response.pipe(createBrotliDecompress());
    case 'gzip':
      return response.pipe(createGunzip());
    default:
      return response;
  }
}

/** Sends bytes that need not be HTTP, and reads the first response. Rejects when none comes. */
export async function exchangeBytes(baseUrl: string, bytes: string): Promise<Exchange> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response in time')));
  socket.write(bytes, 'latin1');
  let received = Buffer.alloc(0);
  for await (const chunk of socket) {
    received = Buffer.concat([received, Buffer.from(chunk)]);
    const found = firstResponse(received);
    if (found !== undefined) {
      socket.destroy();
      return found;
    }
  }
  throw new Error(`the connection ended after ${JSON.stringify(received.toString('latin1'))}`);
}

/** The response that the bytes begin with; undefined while it is not complete. */
function firstResponse(received: Buffer): Exchange | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const body = received.subarray(end + 4);
  const length = Number(headers.get('content-length') ?? 0);
  if (body.length < length) return undefined;
  return {
    status: Number(statusLine.split(' ')[1]),
    header: (name) => headers.get(name),
    text: body.toString('utf8', 0, length),
  };
}
