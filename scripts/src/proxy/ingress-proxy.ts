import { randomUUID } from 'node:crypto';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as sendRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';

/** Paths that go to the replicas of one service. */
export interface ProxyRoute {
  /** Whole path segments, e.g. `/partner/v1`. */
  readonly prefix: string;
  /** Addresses of the replicas, e.g. `http://127.0.0.1:20123`; requests go to them in turn. */
  readonly targets: readonly string[];
}

const HOP_BY_HOP = new Set([
  'connection',
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
 * A reverse proxy with the ingress's routes on one address. It adds itself to `x-forwarded-for`, sets `x-forwarded-proto`,
 * passes everything else on as it came, and takes the next replica when one takes no connection. With none left it
 * answers 503.
 */
export function createIngressProxy(routes: readonly ProxyRoute[]): Server {
  const agent = new Agent({ keepAlive: true });
  const turns = new Map<ProxyRoute, number>();

  function pass(request: IncomingMessage, response: ServerResponse): void {
    const route = routes.find(({ prefix }) => isBelow(prefix, request.url ?? '/'));
    if (route === undefined) {
      sendError(request, response, 404, 'not_found', 'no such path');
      return;
    }
    const turn = turns.get(route) ?? 0;
    turns.set(route, (turn + 1) % route.targets.length);
    passTo([...route.targets.slice(turn), ...route.targets.slice(0, turn)], request, response);
  }

  function passTo(targets: readonly string[], request: IncomingMessage, response: ServerResponse): void {
    const [target, ...others] = targets;
    if (target === undefined) {
      sendError(request, response, 503, 'unavailable', 'the service does not answer; try again');
      return;
    }
    const { hostname, port } = new URL(target);
    const upstream = sendRequest({
      agent,
      hostname,
      port,
      method: request.method,
      path: request.url,
      headers: forwardedHeaders(request),
    });
    let connected = false;
    upstream.once('socket', (socket) => {
      const sendBody = () => {
        connected = true;
        pipeline(request, upstream, () => undefined);
      };
      if (socket.connecting) socket.once('connect', sendBody);
      else sendBody();
    });
    upstream.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
      pipeline(answer, response, () => undefined);
    });
    upstream.once('error', () => {
      if (response.headersSent) response.destroy();
      else passTo(connected ? [] : others, request, response);
    });
    response.once('close', () => upstream.destroy());
  }

  return createServer(pass);
}

function isBelow(prefix: string, url: string): boolean {
  const next = url.charAt(prefix.length);
  return url.startsWith(prefix) && (next === '' || next === '/' || next === '?');
}

/** As a flat list, so that headers which came twice arrive twice. */
function forwardedHeaders(request: IncomingMessage): string[] {
  const { remoteAddress = '' } = request.socket;
  const before = request.headers['x-forwarded-for'];
  const isChunked = request.headers['transfer-encoding'] !== undefined;
  const kept = endToEnd(request.rawHeaders, ['x-forwarded-for', 'x-forwarded-proto']);
  return [
    ...kept,
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
    if (!HOP_BY_HOP.has(key) && !replaced.includes(key)) kept.push(name, value);
  }
  return kept;
}

function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
  error: string,
): void {
  const given = request.headers['x-request-id'];
  const requestId =
    typeof given === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'x-request-id': requestId,
      ...(status === 503 ? { 'retry-after': '1' } : {}),
    })
    .end(JSON.stringify({ error, code, requestId }));
}
