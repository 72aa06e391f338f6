import type { ErrorBody } from '@partner/proto-contracts/api/error-body';
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { closeServer } from './listen.js';
import { requestIdFrom } from '../telemetry/request-id.js';

/** Time limit of the headers, and of the whole request. */
const REQUEST_TIMEOUT_MS = 30_000;
const CHECK_INTERVAL_MS = 1_000;
/** Time limit of a connection with a request but without traffic; streams send a keep-alive every 15 s. */
const STANDSTILL_MS = 60_000;
/** Longer than proxies keep an idle connection, so that they never send on one that is closing. */
const KEEP_ALIVE_MS = 75_000;
/** Well above the time between two requests of a connection in constant use. */
const NOTICE_MS = 2_000;

interface Traffic {
  readonly connections: Set<Duplex>;
  readonly responses: Set<ServerResponse>;
  /** If true, each connection closes after its next response. */
  isOnNotice: boolean;
  onLastConnectionClosed: () => void;
}

const trafficOf = new WeakMap<Server, Traffic>();

/**
 * Creates the HTTP server of an app.
 *
 * Some requests are refused before the app sees them: malformed ones, headers over 16 KB, those that take more than 30 seconds to
 * arrive, and `CONNECT`. The response is an `ErrorBody` with `x-request-id` and the given headers, such as the
 * surface's API version. If earlier requests of the connection still wait for a response, as with surplus bytes after a
 * body, the client gets those responses instead. The connection closes after the last one.
 *
 * A client that reads nothing of its response for a minute is cut off, so that buffers stay bounded. After
 * `close` each connection closes with its response in flight, and at once if it has had no request yet.
 */
export function createHttpServer(
  app: RequestListener,
  refusalHeaders: Readonly<Record<string, string>> = {},
): Server {
  const pending = new WeakMap<Duplex, Set<ServerResponse>>();
  const unused = new Set<Duplex>();
  const refused = new WeakSet<Duplex>();
  const traffic: Traffic = {
    connections: new Set(),
    responses: new Set(),
    isOnNotice: false,
    onLastConnectionClosed: () => undefined,
  };
  const server = createServer({
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // Node's own refusal has no body; the app refuses it.
    requireHostHeader: false,
  });
  server.timeout = STANDSTILL_MS;
  trafficOf.set(server, traffic);
  server.on('connection', (socket) => {
    unused.add(socket);
    traffic.connections.add(socket);
    socket.once('close', () => {
      unused.delete(socket);
      traffic.connections.delete(socket);
      // Responses queued behind an earlier one are not closed with it.
      for (const response of pending.get(socket) ?? []) traffic.responses.delete(response);
      if (traffic.connections.size === 0) traffic.onLastConnectionClosed();
    });
  });
  server.on('request', (request, response) => {
    unused.delete(request.socket);
    const responses = pending.get(request.socket) ?? new Set();
    pending.set(request.socket, responses.add(response));
    traffic.responses.add(response);
    if (traffic.isOnNotice || !server.listening) response.setHeader('connection', 'close');
    response.once('close', () => {
      responses.delete(response);
      traffic.responses.delete(response);
      if (!server.listening) server.closeIdleConnections();
    });
    app(request, response);
  });
  // An unknown expectation is ignored, not refused.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Duplex) => {
    // Node has taken its own listener off.
    socket.on('error', () => socket.destroy());
    refuse(socket, 'CONNECT');
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    refuse(socket, error.code);
  });
  function refuse(socket: Duplex, cause: string | undefined): void {
    // Node reports each further chunk of a malformed request again.
    if (refused.has(socket)) return;
    refused.add(socket);
    const responses = [...(pending.get(socket) ?? [])];
    // The app has refused the request by its head, and the connection ends with that response.
    if (responses.some((each) => each.writableEnded && each.getHeader('connection') === 'close')) return;
    const last = responses.filter(isPending).at(-1);
    if (last === undefined) {
      socket.end(rawResponse(cause, refusalHeaders), () => socket.destroy());
    } else if (last.headersSent) {
      // A stream may never end, and further input of the client is not needed.
      socket.pause();
      last.once('finish', () => socket.end(() => socket.destroy()));
    } else {
      last.setHeader('connection', 'close');
    }
  }
  // Node treats a connection without a request as in use, and waits for it.
  const close = server.close.bind(server);
  server.close = (callback) => {
    close(callback);
    for (const socket of unused) socket.destroy();
    return server;
  };
  return server;
}

/**
 * Closes a server of {@link createHttpServer} without losing a request. For 2 s, or until no connection is left, it
 * accepts connections and requests as before, and each response announces that its connection closes. Clients then move
 * to another connection instead of sending on a closed one. Finally, requests in flight get their responses and idle
 * connections are closed.
 */
export async function drainServer(server: Server): Promise<void> {
  const traffic = trafficOf.get(server);
  if (traffic !== undefined && traffic.connections.size > 0) {
    traffic.isOnNotice = true;
    for (const response of traffic.responses) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, NOTICE_MS);
      traffic.onLastConnectionClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  await closeServer(server);
}

/** Returns whether a response is in flight, or due for a request that was received completely. */
function isPending(response: ServerResponse): boolean {
  return !response.writableFinished && (response.headersSent || response.req.complete);
}

function rawResponse(cause: string | undefined, headers: Readonly<Record<string, string>>): string {
  const { status, code, error } = refusalOf(cause);
  const requestId = requestIdFrom(undefined);
  const body = JSON.stringify({ error, code, requestId } satisfies ErrorBody);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    `x-request-id: ${requestId}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    // RFC 9110, 15.5.6: the target of a tunnel allows no method.
    ...(status === 405 ? ['allow:'] : []),
    'connection: close',
    '',
    body,
  ].join('\r\n');
}

function refusalOf(cause: string | undefined): { status: number } & Pick<ErrorBody, 'code' | 'error'> {
  switch (cause) {
    case 'CONNECT':
      return {
        status: 405,
        code: 'method_not_allowed',
        error: 'method: CONNECT is not allowed; this is not a proxy',
      };
    case 'HPE_HEADER_OVERFLOW':
      return { status: 431, code: 'invalid_argument', error: 'headers: must be at most 16 KB in total' };
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, code: 'payload_too_large', error: 'body: must have shorter chunk extensions' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 408, code: 'invalid_argument', error: 'request: must arrive within 30 seconds' };
    default:
      return { status: 400, code: 'invalid_argument', error: 'request: must be well-formed HTTP/1.1' };
  }
}
