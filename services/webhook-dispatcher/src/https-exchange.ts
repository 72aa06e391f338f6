import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { ExchangePhase } from './classify-failure.js';
import { type ConnectionPool, serverNameOf } from './connection-pool.js';
import type { Deadline } from './deadline.js';
import type { AdmittedEndpoint, DialTarget } from './endpoint-guard.js';
import type { PeerCertificate } from './peer-certificate.js';
import { recordedHeaders, type RecordedHeader } from './recorded-headers.js';

export interface OutgoingPost {
  /** The stored URL; the guard vets it before any connection. */
  readonly url: string;
  /** All headers except `host` and `content-length`, which the exchange sets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface PostResponse {
  readonly status: number;
  /** Bounded, without cookies and credentials. */
  readonly headers: readonly RecordedHeader[];
  /** The first 4 KiB. */
  readonly body: Uint8Array;
  readonly retryAfter: string | undefined;
}

/** Steps of one POST; a step that was not reached is absent. Each duration covers only its own step, in ms. */
export interface ExchangeTrace {
  /** Duration of the DNS lookup; absent without a lookup and for a refused endpoint. */
  readonly dnsMs?: number | undefined;
  /** First 16 addresses of the lookup, all public; absent for a refused endpoint. */
  readonly addresses?: readonly string[] | undefined;
  /** Duration of the TCP connect; absent for a reused connection. */
  readonly connectMs?: number | undefined;
  /** Duration of the TLS handshake; also set if the certificate was refused. Absent for a reused connection. */
  readonly tlsMs?: number | undefined;
  /** For example `TLSv1.3`. */
  readonly tlsProtocol?: string | undefined;
  /** Also set if it was refused. */
  readonly certificate?: PeerCertificate | undefined;
  readonly reusedConnection: boolean;
  /** Time from the last byte of the request to the head of the first response. */
  readonly firstByteMs?: number | undefined;
}

export type Ending =
  | { readonly kind: 'responded'; readonly response: PostResponse }
  | { readonly kind: 'expired'; readonly response: PostResponse | undefined }
  | {
      readonly kind: 'failed';
      readonly phase: ExchangePhase;
      readonly error: Error;
      readonly response: PostResponse | undefined;
    };

type TracedEnding = Ending & { readonly trace: ExchangeTrace };

/** The receiver had closed the kept connection before its reuse. Nothing was sent, and the pool has dropped it. */
interface NothingSent {
  readonly kind: 'nothing-sent';
}

const READ_BYTES = 64 * 1_024;
const KEPT_BYTES = 4 * 1_024;
const HEADER_BYTES = 16 * 1_024;
/** Maximum bytes received for one response, including headers, chunk framing and interim responses. */
const WIRE_BYTES = 2 * READ_BYTES;

export const NOTHING_REACHED: ExchangeTrace = { reusedConnection: false };

/** One POST on its way: what it was given, and how far it has come. */
interface Exchange {
  readonly pool: ConnectionPool;
  readonly key: DialTarget & { readonly hostName: string };
  readonly deadline: Deadline;
  readonly request: ClientRequest;
  readonly resolve: (ending: TracedEnding | NothingSent) => void;
  phase: ExchangePhase;
  socket?: Socket;
  stopConnecting?: (() => void) | undefined;
  sentAt?: number;
  firstByteMs?: number;
  response?: IncomingMessage;
  /** Bytes that the connection had received before the request. */
  wireBytesBefore: number;
  readBytes: number;
  readonly kept: Buffer[];
}

/**
 * POSTs over one connection to one vetted address. Reads at most 64 KiB of the response's body, and 128 KiB including its framing;
 * beyond that only the status counts. Does not follow redirects. Never rejects: a failure is an outcome with its phase.
 */
export function exchange(
  pool: ConnectionPool,
  { url, hostName }: AdmittedEndpoint,
  target: DialTarget,
  post: OutgoingPost,
  limits: {
    readonly deadline: Deadline;
    /** Starts the time to connect and returns how to cancel it; undefined: as long as the deadline allows. */
    readonly startConnecting: ((end: () => void) => () => void) | undefined;
  },
): Promise<TracedEnding | NothingSent> {
  const { deadline, startConnecting } = limits;
  if (deadline.hasPassed()) {
    return Promise.resolve({ kind: 'expired', response: undefined, trace: NOTHING_REACHED });
  }
  const key = { ...target, hostName };
  const request = httpsRequest({
    agent: pool.agent,
    host: target.address,
    port: target.port,
    servername: serverNameOf(hostName),
    method: 'POST',
    path: url.target,
    headers: {
      host: url.host,
      ...post.headers,
      'content-length': String(post.body.byteLength),
    },
    maxHeaderSize: HEADER_BYTES,
  });
  // A `connection: close` header alone would not keep the agent from using the connection again.
  request.shouldKeepAlive = pool.keeps(key);
  return new Promise((resolve) => {
    const given = { pool, key, deadline, request, resolve };
    const state: Exchange = { ...given, phase: 'connect', wireBytesBefore: 0, readBytes: 0, kept: [] };
    deadline.whenPassed(() => {
      end(state, { kind: 'expired', response: responseSoFar(state) });
      // Aborted here because of the silence, so it does not count as closed by the receiver.
      abandon(state);
    });
    request.once('socket', (socket: Socket) => watchConnection(state, socket, startConnecting));
    request.once('finish', () => {
      state.sentAt = performance.now();
    });
    request.on('error', (error) => fail(state, error));
    request.on('information', () => {
      responseBegan(state);
      if (isTooMuch(state)) {
        request.destroy(Object.assign(new Error('too many interim responses'), { code: 'TOO_MANY_INTERIM' }));
      }
    });
    request.on('upgrade', (incoming, upgraded) => {
      responseBegan(state, incoming);
      upgraded.destroy();
      succeed(state);
    });
    request.on('response', (incoming) => readResponse(state, incoming));
    request.end(post.body);
  });
}

function watchConnection(
  state: Exchange,
  socket: Socket,
  startConnecting: ((end: () => void) => () => void) | undefined,
): void {
  state.socket = socket;
  state.wireBytesBefore = socket.bytesRead;
  if (state.request.reusedSocket) {
    state.phase = 'http';
    // The request is written after this event. If that write fails at once, the system has sent none of it. The
    // failure destroys the connection in the next tick, and is emitted in the one after.
    process.nextTick(() => process.nextTick(endIfNothingSent, state, socket));
    return;
  }
  socket.once('connect', () => {
    state.phase = 'tls';
    state.stopConnecting?.();
  });
  socket.once('secureConnect', () => {
    state.phase = 'http';
  });
  state.stopConnecting = startConnecting?.(() => {
    state.request.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }));
  });
}

function readResponse(state: Exchange, incoming: IncomingMessage): void {
  const { request, kept } = state;
  responseBegan(state, incoming);
  if (responseSoFar(state) === undefined) {
    fail(state, Object.assign(new Error('the response has no status'), { code: 'HPE_INVALID_STATUS' }));
    request.destroy();
    return;
  }
  incoming.on('data', (chunk: Buffer) => {
    const room = KEPT_BYTES - Math.min(state.readBytes, KEPT_BYTES);
    if (room > 0) kept.push(chunk.subarray(0, room));
    state.readBytes += chunk.byteLength;
    if (!isTooMuch(state)) return;
    succeed(state);
    incoming.destroy();
  });
  incoming.once('end', () => {
    succeed(state);
    // It is still being written although the receiver has responded.
    const destroyUnlessSent = () => !request.writableFinished && request.destroy();
    if (!request.writableFinished) setImmediate(destroyUnlessSent);
  });
  incoming.on('error', (error) => fail(state, error));
  incoming.once('close', () => {
    if (!incoming.complete) fail(state, new Error('the response ended early'));
  });
}

function responseBegan(state: Exchange, response?: IncomingMessage): void {
  state.firstByteMs ??= state.sentAt === undefined ? 0 : Math.round(performance.now() - state.sentAt);
  if (response !== undefined) state.response = response;
}

function isTooMuch({ readBytes, socket, wireBytesBefore }: Exchange): boolean {
  return readBytes >= READ_BYTES || (socket?.bytesRead ?? 0) - wireBytesBefore >= WIRE_BYTES;
}

function responseSoFar({ response, kept }: Exchange): PostResponse | undefined {
  if (response?.statusCode === undefined || response.statusCode < 100) return undefined;
  return {
    status: response.statusCode,
    headers: recordedHeaders(response.rawHeaders),
    body: Buffer.concat(kept),
    retryAfter: response.headers['retry-after'],
  };
}

function traceSoFar({ pool, request, socket, firstByteMs }: Exchange): ExchangeTrace {
  const reusedConnection = request.reusedSocket;
  const { connectMs, tlsMs, tlsProtocol, certificate } = (socket && pool.openingOf(socket)) ?? {};
  return {
    ...(!reusedConnection && { connectMs, tlsMs }),
    ...{ tlsProtocol, certificate, reusedConnection, firstByteMs },
  };
}

function end(state: Exchange, ending: Ending): void {
  state.stopConnecting?.();
  state.deadline.ignore();
  state.resolve({ ...ending, trace: traceSoFar(state) });
}

function succeed(state: Exchange): void {
  const complete = responseSoFar(state);
  if (complete === undefined) fail(state, new Error('the response has no status'));
  else end(state, { kind: 'responded', response: complete });
}

function fail(state: Exchange, error: Error): void {
  const { pool, key, phase, request, response } = state;
  // What breaks after a complete response, or follows it, is no part of it (RFC 9112, section 6.3). Its `end` is still to come.
  if (response?.complete === true) return;
  if (request.reusedSocket && response === undefined) pool.brokeOnReuse(key);
  end(state, { kind: 'failed', phase, error, response: responseSoFar(state) });
}

function abandon({ request }: Exchange): void {
  request.removeAllListeners('error').on('error', () => undefined);
  request.destroy();
}

function endIfNothingSent(state: Exchange, { destroyed }: Socket): void {
  if (!destroyed) return;
  abandon(state);
  state.deadline.ignore();
  state.resolve({ kind: 'nothing-sent' });
}
