import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WebhookReceiver } from './webhook-receiver.js';

/** No webhook is larger. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Returns a handler for Express, and for a server of `node:http`. Mount it before `express.json()`, or behind `express.raw()`: it
 * needs the raw body. An error of `onEvent` becomes a 500, so the sender retries; `next` receives it where there is one.
 */
export function expressHandler(
  receiver: WebhookReceiver,
): (
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
  next?: (error: unknown) => void,
) => void {
  return (request, response, next) => {
    respond(receiver, request, response).catch((error: unknown) => {
      if (next !== undefined) return next(error);
      response.writeHead(500).end();
    });
  };
}

async function respond(
  receiver: WebhookReceiver,
  request: IncomingMessage & { body?: unknown },
  response: ServerResponse,
): Promise<void> {
  const body = await rawBody(request);
  if (body === undefined) {
    response.writeHead(413).end();
    return;
  }
  const { status, error } = await receiver.receive(request.headers, body);
  response.writeHead(status, { 'content-type': 'text/plain' }).end(error);
}

/** Reads to the end, so that the sender of a body that is too large gets its response. Undefined for such a body. */
async function rawBody(request: IncomingMessage & { body?: unknown }): Promise<Uint8Array | undefined> {
  if (request.body instanceof Uint8Array) return request.body;
  if (request.readableEnded)
    throw new TypeError('the body has been parsed: mount the webhook handler before express.json()');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const parts: AsyncIterable<Uint8Array> = request;
  for await (const part of parts) {
    bytes += part.length;
    if (bytes <= MOST_BYTES) chunks.push(part);
  }
  return bytes > MOST_BYTES ? undefined : Buffer.concat(chunks);
}
