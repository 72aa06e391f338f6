import type { IncomingMessage, ServerResponse } from 'node:http';
import { drainWithinBounds } from '@partner/kernel/drain-within-bounds';
import type { ServiceError } from '@partner/kernel/service-error';
import { createResponseStream } from './response-stream.js';
import { responseText } from './response-text.js';
import type { EndpointResponse } from './endpoint.js';
import { errorResponse } from './error-response.js';
import type { RequestRecord } from './request-log.js';

/** Responds with a failure. Ends the connection instead if a response has already begun. */
export function refuse(
  error: ServiceError,
  request: IncomingMessage,
  response: ServerResponse,
  record: RequestRecord,
): void {
  record.error = error;
  if (response.headersSent) response.destroy();
  else send(request, response, errorResponse(error, record.requestId));
}

/** Sends a response, or begins its stream. What is left of the request body is drained within bounds. */
export function send(request: IncomingMessage, response: ServerResponse, answer: EndpointResponse): void {
  drainWithinBounds(request);
  response.statusCode = answer.status;
  const body = answer.bytes ?? responseText(answer);
  if (body !== undefined) {
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', Buffer.byteLength(body));
  }
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.stream === undefined || request.method === 'HEAD') {
    response.end(body);
  } else {
    // Nothing is asked on its connection after it, least of all of a server that has ended it because it is stopping.
    response.setHeader('connection', 'close');
    response.flushHeaders();
  }
  answer.stream?.(createResponseStream(response));
}
