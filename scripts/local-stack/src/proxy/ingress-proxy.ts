import {
  Agent,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { drainWithinBounds } from '@partner/kernel/drain-within-bounds';
import { errorResponse } from '@partner/gateway-kit/error-response';
import { createHttpServer } from '@partner/kernel/http-server';
import { protocolViolation } from '@partner/gateway-kit/protocol-violation';
import { requestIdFrom } from '@partner/kernel/request-id';
import { ServiceError } from '@partner/kernel/service-error';

/** Paths that are routed to the replicas of one service. */
export interface ProxyRoute {
  /** Whole path segments, e.g. `/partner/v1`. */
  readonly prefix: string;
  /** Addresses of the replicas, e.g. `http://127.0.0.1:20123`; they receive requests in turn. */
  readonly targets: readonly string[];
}

/** Longer than common clients keep an idle connection (Chrome 300 s, curl 118 s), so that they do not send on a closing one. */
const CLIENT_KEEP_ALIVE_MS = 350_000;
/** Shorter than the services keep an idle connection (75 s), for the same reason. */
export const UPSTREAM_KEEP_ALIVE_MS = 60_000;

/** Headers of one connection (RFC 9110, 7.6.1), and `expect`, to which the proxy's own server responds. */
const NOT_FORWARDED = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

interface RequestTarget {
  /** Path and query. */
  readonly path: string;
  /** Of an absolute target; replaces the header `Host` (RFC 9112, 3.2.2). */
  readonly host?: string;
}

/**
 * A reverse proxy with the ingress's routes on one address. It adds the client to `x-forwarded-for`, sets
 * `x-forwarded-proto` and passes everything else on unchanged. If a replica refuses connections, it uses the next one;
 * with none left it responds with 503. It refuses violations of HTTP/1.1 as the services do.
 */
export function createIngressProxy(routes: readonly ProxyRoute[]): Server {
  const agent = new Agent({ keepAlive: true, timeout: UPSTREAM_KEEP_ALIVE_MS });
  const turns = new Map<ProxyRoute, number>();

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const violation = protocolViolation(request);
    const target = targetOf(request.url ?? '/');
    const route = routes.find(({ prefix }) => isBelow(prefix, target.path));
    if (violation !== undefined || route === undefined) {
      refuse(request, response, violation ?? new ServiceError('not_found', 'path: there is no such path'));
      return;
    }
    const turn = turns.get(route) ?? 0;
    turns.set(route, (turn + 1) % route.targets.length);
    passTo([...route.targets.slice(turn), ...route.targets.slice(0, turn)], target, request, response);
  }

  function passTo(
    replicas: readonly string[],
    target: RequestTarget,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const [replica, ...others] = replicas;
    if (replica === undefined) {
      const advice = 'the service does not respond; retry';
      refuse(request, response, new ServiceError('unavailable', advice));
      return;
    }
    const { host, hostname, port } = new URL(replica);
    const upstream = sendRequest({
      agent,
      hostname,
      port,
      method: request.method,
      path: target.path,
      headers: forwardedHeaders(request, target.host ?? request.headers.host ?? host),
    });
    let connected = false;
    upstream.once('socket', (socket) => {
      const sendBody = () => {
        connected = true;
        // A service may respond before the body arrives.
        upstream.flushHeaders();
        request.pipe(upstream);
      };
      if (socket.connecting) socket.once('connect', sendBody);
      else sendBody();
    });
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
      response.flushHeaders();
      answer.once('error', () => response.destroy());
      answer.once('end', () => {
        // An early response, such as a 413: the client still writes, and reads the response only if its connection stays.
        if (!request.complete) {
          request.unpipe(upstream);
          drainWithinBounds(request);
          upstream.destroy();
        }
      });
      answer.pipe(response);
    });
    upstream.on('error', () => {
      request.unpipe(upstream);
      if (!response.headersSent && !response.destroyed)
        passTo(connected ? [] : others, target, request, response);
    });
    response.once('close', () => {
      if (!response.writableFinished) upstream.destroy();
    });
  }

  const server = createHttpServer(pass);
  server.keepAliveTimeout = CLIENT_KEEP_ALIVE_MS;
  return server;
}

function targetOf(url: string): RequestTarget {
  const [, host, path = ''] = /^https?:\/\/([^/?#]*)([^#]*)/i.exec(url) ?? [];
  if (host === undefined) return { path: url };
  return { host, path: path.startsWith('/') ? path : `/${path}` };
}

function isBelow(prefix: string, path: string): boolean {
  const next = path.charAt(prefix.length);
  return path.startsWith(prefix) && (next === '' || next === '/' || next === '?');
}

/** A flat list, so that repeated headers stay repeated. */
function forwardedHeaders(request: IncomingMessage, host: string): string[] {
  const { remoteAddress = '' } = request.socket;
  const before = request.headers['x-forwarded-for'];
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  return [
    'host',
    host,
    ...endToEnd(request.rawHeaders, ['host', 'x-forwarded-for', 'x-forwarded-proto']),
    'x-forwarded-for',
    before === undefined ? remoteAddress : `${[before].flat().join(', ')}, ${remoteAddress}`,
    'x-forwarded-proto',
    'http',
    ...(isChunked ? ['transfer-encoding', 'chunked'] : []),
  ];
}

function endToEnd(rawHeaders: readonly string[], replaced: readonly string[] = []): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const key = name.toLowerCase();
    if (!NOT_FORWARDED.has(key) && !replaced.includes(key)) kept.push(name, value);
  }
  return kept;
}

function refuse(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  drainWithinBounds(request);
  const requestId = requestIdFrom(request.headers['x-request-id']?.toString());
  const { status, json, headers } = errorResponse(error, requestId);
  const body = JSON.stringify(json);
  response
    .writeHead(status, {
      ...headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
    })
    .end(body);
}
