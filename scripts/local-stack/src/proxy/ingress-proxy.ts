import {
  Agent,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { drainWithinBounds } from '@partner/kernel/process/drain-within-bounds';
import { errorResponse } from '@partner/gateway-kit/http/error-response';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { requestIdFrom } from '@partner/kernel/telemetry/request-id';
import { ServiceError } from '@partner/kernel/process/service-error';

export interface ProxyRoute {
  /** Whole path segments, e.g. `/partner/v1`; `/` is the root alone. */
  readonly prefix: string;
  /** The replicas of its service, at least one. */
  readonly targets: readonly string[];
}

/** For how long a replica that refuses connections gets no requests, unless all do. */
const REFUSED_MS = 1_000;

/** Longer than common clients keep an idle connection (Chrome 300 s, curl 118 s), so that they do not send on a closing one. */
const CLIENT_KEEP_ALIVE_MS = 350_000;
/** Shorter than the services keep an idle connection (75 s), for the same reason. */
const UPSTREAM_KEEP_ALIVE_MS = 60_000;

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

/**
 * A reverse proxy with the ingress's routes on one address. It adds the client to `x-forwarded-for`, sets
 * `x-forwarded-proto` and passes everything else on unchanged, to the replicas of a service in turn. While a service refuses
 * connections, it responds with 503: with a page that loads itself again to a browser that opens one.
 */
export function createIngressProxy(routes: readonly ProxyRoute[]): Server {
  const agent = new Agent({ keepAlive: true, timeout: UPSTREAM_KEEP_ALIVE_MS });
  const refusedAt = new Map<string, number>();
  let turn = 0;

  function replicaOf({ targets }: ProxyRoute): string {
    const refused = performance.now() - REFUSED_MS;
    const open = targets.filter((target) => (refusedAt.get(target) ?? refused) <= refused);
    const candidates = open.length > 0 ? open : targets;
    turn += 1;
    return candidates[turn % candidates.length] ?? '';
  }

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const { url: path = '/' } = request;
    const route = routes.find(({ prefix }) => isBelow(prefix, path));
    if (route === undefined) {
      refuse(request, response, new ServiceError('not_found', 'path: does not exist'));
      return;
    }
    const target = replicaOf(route);
    const { host, hostname, port } = new URL(target);
    const headers = forwardedHeaders(request, request.headers.host ?? host);
    const upstream = sendRequest({ agent, hostname, port, method: request.method, path, headers });
    // A service may respond before the body arrives.
    upstream.flushHeaders();
    request.pipe(upstream);
    upstream.once('response', (incoming) => {
      response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, endToEnd(incoming.rawHeaders));
      response.flushHeaders();
      incoming.once('error', () => response.destroy());
      incoming.once('end', () => {
        // An early response, such as a 413: the client still writes, and reads the response only if its connection stays.
        if (!request.complete) {
          request.unpipe(upstream);
          drainWithinBounds(request);
          upstream.destroy();
        }
      });
      incoming.pipe(response);
    });
    upstream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') refusedAt.set(target, performance.now());
      request.unpipe(upstream);
      if (response.headersSent || response.destroyed) return;
      refuse(request, response, new ServiceError('unavailable', 'the service does not respond; retry'));
    });
    response.once('close', () => {
      if (!response.writableFinished) upstream.destroy();
    });
  }

  const server = createHttpServer(pass);
  server.keepAliveTimeout = CLIENT_KEEP_ALIVE_MS;
  return server;
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

/** For people, who cannot read JSON. It follows the color scheme of the system. */
const UNAVAILABLE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="3">
<title>Not available</title>
<body style="margin: 18vh auto; max-width: 24rem; padding: 0 1rem; font: 1rem/1.5 system-ui">
<h1>The console isn’t available</h1>
<p>It may be restarting. This page retries every 3 seconds. <a href="">Retry</a></p>`;

function refuse(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
  drainWithinBounds(request);
  const requestId = requestIdFrom(request.headers['x-request-id']?.toString());
  const { status, json, headers } = errorResponse(error, requestId);
  const isForPerson = status === 503 && request.headers.accept?.includes('text/html') === true;
  const body = isForPerson ? UNAVAILABLE_PAGE : JSON.stringify(json);
  response
    .writeHead(status, {
      ...headers,
      'content-type': `${isForPerson ? 'text/html' : 'application/json'}; charset=utf-8`,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
    })
    .end(body);
}
