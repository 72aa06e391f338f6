import type { IncomingMessage, ServerResponse } from 'node:http';
import { drainWithinBounds } from '@partner/kernel/process/drain-within-bounds';
import type { ServiceError } from '@partner/kernel/process/service-error';
import { createResponseStream } from './response-stream.js';
import { type EndpointResponse, responseText } from './endpoint.js';
import { errorResponse } from './error-response.js';
import type { RequestRecord } from './request-log.js';

/** Bytes that one response writes in a turn of the event loop, so that large responses hold up no other. */
const SLICE_BYTES = 65_536;

/** Responds with a failure. Ends the connection instead if a response has already begun. */
export function refuse(
  error: ServiceError,
  request: IncomingMessage,
  response: ServerResponse,
  record: RequestRecord,
): void {
  record.error = error;
  record.respondedAt = performance.now();
  if (response.headersSent) response.destroy();
  else send(request, response, errorResponse(error, record.requestId));
}

/** Sends a response, or begins its stream. Drains the rest of the request body within bounds. */
export function send(request: IncomingMessage, response: ServerResponse, content: EndpointResponse): void {
  drainWithinBounds(request);
  response.statusCode = content.status;
  const body = content.bytes ?? responseText(content);
  if (body !== undefined) {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', Buffer.byteLength(body));
  }
  for (const [name, value] of Object.entries(content.headers ?? {})) response.setHeader(name, value);
  if (content.stream === undefined || request.method === 'HEAD') {
    if (body === undefined || request.method === 'HEAD') response.end();
    else endInSlices(response, typeof body === 'string' ? Buffer.from(body) : body);
  } else {
    // No request follows on the connection of a stream; a stopping server may have ended the stream.
    response.setHeader('connection', 'close');
    response.flushHeaders();
  }
  content.stream?.(createResponseStream(response));
}

function endInSlices(response: ServerResponse, bytes: Uint8Array, start = 0): void {
  const end = start + SLICE_BYTES;
  if (end >= bytes.length) {
    response.end(bytes.subarray(start));
    return;
  }
  response.write(bytes.subarray(start, end), (error) => {
    if (error === undefined || error === null) setImmediate(endInSlices, response, bytes, end);
  });
}
