import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, request, type RequestListener, type Server } from 'node:http';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { type ResponseStream, createResponseStream } from './response-stream.js';

let server: Server;

afterEach(() => closeServer(server));

async function serve(listener: RequestListener): Promise<() => Promise<IncomingMessage>> {
  server = createServer(listener);
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
  return () =>
    new Promise((resolve, reject) => {
      request({ port, host: '127.0.0.1' }, resolve).on('error', reject).end();
    });
}

describe('the stream of a response', () => {
  test('is over when the client disconnects', async () => {
    const over = new Promise<void>((resolve) => {
      void serve((_request, response) => {
        const stream = createResponseStream(response);
        stream.over.addEventListener('abort', () => resolve());
        stream.write('one');
      })
        .then((ask) => ask())
        .then((incoming) => incoming.destroy());
    });
    await expect(over).resolves.toBeUndefined();
  });

  test('cuts off a client that does not read, and buffers little for it', async () => {
    let stream: ResponseStream | undefined;
    let most = 0;
    const cut = new Promise<void>((resolve) => {
      void serve((_request, response) => {
        stream = createResponseStream(response);
        stream.over.addEventListener('abort', () => resolve());
        const write = () => {
          if (stream === undefined || stream.over.aborted) return;
          stream.write('x'.repeat(10_000));
          most = Math.max(most, response.writableLength);
          setImmediate(write);
        };
        write();
      })
        .then((ask) => ask())
        .then((incoming) => incoming.pause().on('error', () => undefined));
    });
    await cut;
    expect(most).toBeLessThan(100_000);
  });
});
