import { type IncomingMessage, request as sendRequest } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { OddRequest } from './odd-request.js';

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
  const length = odd.body === undefined ? [] : ['content-length', String(odd.body.length)];
  const options = {
    ...{ hostname, port, method: odd.method, path: odd.target, agent: false },
    headers: ['host', hostname, ...odd.headers.flat(), ...length],
    signal: AbortSignal.timeout(TIMEOUT_MS),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sendRequest(options, resolve).on('error', reject).end(odd.body);
  });
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
  if (isStream) response.on('error', () => undefined).destroy();
  return {
    status: response.statusCode ?? 0,
    header: (name) => response.headers[name]?.toString(),
    text: isStream ? '' : await text(decoded(response)),
  };
}

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
