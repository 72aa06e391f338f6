import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { ExchangePhase } from './classify-failure.js';
import { type ConnectionPool, serverNameOf } from './connection-pool.js';
import type { Deadline } from './deadline.js';
import type { AdmittedEndpoint, DialTarget } from './endpoint-guard.js';
import type { PeerCertificate } from './peer-certificate.js';

/** One POST to make. */
export interface OutgoingPost {
  /** As stored; it goes through the guard before anything is connected. */
  readonly url: string;
  /** Besides `host` and `content-length`, which are set here. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What a response held. */
export interface PostResponse {
  readonly status: number;
  /** The first 4 KiB. */
  readonly body: Uint8Array;
  readonly retryAfter: string | undefined;
}

/** What became of each step of one POST; what was not reached is absent. Milliseconds are of that step alone. */
export interface ExchangeTrace {
  /** Until the host's addresses were known; absent when it was not looked up, and for a refused endpoint. */
  readonly dnsMs?: number | undefined;
  /** The response of that lookup, the first 16. All are public: a refused endpoint has none. */
  readonly addresses?: readonly string[] | undefined;
  /** Until the TCP connection stood; absent when a kept connection was used again. */
  readonly connectMs?: number | undefined;
  /** From there until the handshake was done, also when the certificate was refused then; absent as `connectMs` is. */
  readonly tlsMs?: number | undefined;
  /** Such as `TLSv1.3`. */
  readonly tlsProtocol?: string | undefined;
  /** Also when it was refused. */
  readonly certificate?: PeerCertificate | undefined;
  readonly reusedConnection: boolean;
  /** From the last byte of the request to the first status line and headers of a response. */
  readonly firstByteMs?: number | undefined;
}

/** How one exchange ended. */
export type Ending =
  | { readonly kind: 'answered'; readonly answer: PostResponse }
  | { readonly kind: 'expired'; readonly answer: PostResponse | undefined }
  | {
      readonly kind: 'failed';
      readonly phase: ExchangePhase;
      readonly error: Error;
      readonly answer: PostResponse | undefined;
    };

/** The trace without what came before the exchange. */
type TracedEnding = Ending & { readonly trace: ExchangeTrace };

/** The receiver had closed the kept connection before its reuse. Nothing was sent, and the pool has dropped it. */
interface NothingSent {
  readonly kind: 'nothing-sent';
}

const READ_BYTES = 64 * 1_024;
const KEPT_BYTES = 4 * 1_024;
const HEADER_BYTES = 16 * 1_024;
/** What may come over a connection for one response, with its headers, its frames of chunks and the interim responses. */
const WIRE_BYTES = 2 * READ_BYTES;

/** The trace of a POST that dialled no address. */
export const NOTHING_REACHED: ExchangeTrace = { reusedConnection: false };

/**
 * POSTs over one connection to one vetted address. At most 64 KiB of the response are read, and 128 KiB with all that frames
 * it; after that its status alone counts. Redirects are not followed. Never rejects: a failure is an ending with its phase.
 */
export function exchange(
  pool: ConnectionPool,
  { url, hostName }: AdmittedEndpoint,
  target: DialTarget,
  post: OutgoingPost,
  limits: {
    readonly deadline: Deadline;
    /** Time to connect, in ms; undefined for as long as the deadline allows. */
    readonly connectMs: number | undefined;
  },
): Promise<TracedEnding | NothingSent> {
  const { deadline, connectMs: connectLimitMs } = limits;
  if (deadline.hasPassed()) {
    return Promise.resolve({ kind: 'expired', answer: undefined, trace: NOTHING_REACHED });
  }
  const key = { ...target, hostName };
  return new Promise((resolve) => {
    let phase: ExchangePhase = 'connect';
    let socket: Socket | undefined;
    let wireBytesBefore = 0;
    let response: IncomingMessage | undefined;
    let readBytes = 0;
    const kept: Buffer[] = [];
    let connectTimer: NodeJS.Timeout | undefined;
    let sentAt: number | undefined;
    let firstByteMs: number | undefined;

    const answerSoFar = (): PostResponse | undefined =>
      response?.statusCode === undefined || response.statusCode < 100
        ? undefined
        : {
            status: response.statusCode,
            body: Buffer.concat(kept),
            retryAfter: response.headers['retry-after'],
          };
    const traceSoFar = (): ExchangeTrace => {
      const reusedConnection = request.reusedSocket;
      const { connectMs, tlsMs, tlsProtocol, certificate } =
        (socket === undefined ? undefined : pool.openingOf(socket)) ?? {};
      return {
        ...(!reusedConnection && { connectMs, tlsMs }),
        tlsProtocol,
        certificate,
        reusedConnection,
        firstByteMs,
      };
    };
    const end = (ending: Ending) => {
      clearTimeout(connectTimer);
      deadline.ignore();
      resolve({ ...ending, trace: traceSoFar() });
    };
    const fail = (error: Error) => {
      if (request.reusedSocket && response === undefined) pool.brokeOnReuse(key);
      end({ kind: 'failed', phase, error, answer: answerSoFar() });
    };
    const succeed = () => {
      const answer = answerSoFar();
      if (answer === undefined) fail(new Error('the response has no status'));
      else end({ kind: 'answered', answer });
    };
    const answerBegan = () => {
      firstByteMs ??= sentAt === undefined ? 0 : Math.round(performance.now() - sentAt);
    };
    const isTooMuch = () =>
      readBytes >= READ_BYTES || (socket?.bytesRead ?? 0) - wireBytesBefore >= WIRE_BYTES;

    const request = httpsRequest({
      agent: pool.agent,
      host: target.address,
      port: target.port,
      servername: serverNameOf(hostName),
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        ...post.headers,
        'content-length': String(post.body.byteLength),
      },
      maxHeaderSize: HEADER_BYTES,
    });
    // A `connection: close` header alone would not keep the agent from using the connection again.
    request.shouldKeepAlive = pool.keeps(key);
    const abandon = () => {
      request.off('error', fail).on('error', () => undefined);
      request.destroy();
    };
    const endIfNothingSent = ({ destroyed }: Socket) => {
      if (!destroyed) return;
      abandon();
      deadline.ignore();
      resolve({ kind: 'nothing-sent' });
    };
    deadline.whenPassed(() => {
      end({ kind: 'expired', answer: answerSoFar() });
      // A connection that is given up for its silence is not one that the receiver has closed.
      abandon();
    });

    request.once('socket', (given: Socket) => {
      socket = given;
      wireBytesBefore = given.bytesRead;
      if (request.reusedSocket) {
        phase = 'http';
        // The request is written after this event. If that write fails at once, the system has taken none of it. The
        // failure destroys the connection in the next tick, and is emitted in the one after.
        process.nextTick(() => process.nextTick(endIfNothingSent, given));
        return;
      }
      given.once('connect', () => {
        phase = 'tls';
        clearTimeout(connectTimer);
      });
      given.once('secureConnect', () => {
        phase = 'http';
      });
      if (connectLimitMs !== undefined) {
        connectTimer = setTimeout(() => {
          request.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }));
        }, connectLimitMs);
      }
    });
    request.once('finish', () => {
      sentAt = performance.now();
    });
    request.on('error', fail);
    request.on('information', () => {
      answerBegan();
      if (isTooMuch()) {
        request.destroy(Object.assign(new Error('too many interim responses'), { code: 'TOO_MANY_INTERIM' }));
      }
    });
    request.on('upgrade', (incoming, upgraded) => {
      answerBegan();
      response = incoming;
      upgraded.destroy();
      succeed();
    });
    request.on('response', (incoming) => {
      answerBegan();
      response = incoming;
      if (answerSoFar() === undefined) {
        fail(Object.assign(new Error('the response has no status'), { code: 'HPE_INVALID_STATUS' }));
        request.destroy();
        return;
      }
      incoming.on('data', (chunk: Buffer) => {
        const room = KEPT_BYTES - Math.min(readBytes, KEPT_BYTES);
        if (room > 0) kept.push(chunk.subarray(0, room));
        readBytes += chunk.byteLength;
        if (!isTooMuch()) return;
        succeed();
        incoming.destroy();
      });
      incoming.once('end', () => {
        succeed();
        if (!request.writableFinished) setImmediate(destroyUnlessSent, request);
      });
      incoming.on('error', fail);
      incoming.once('close', () => {
        if (!incoming.complete) fail(new Error('the response broke off'));
      });
    });
    request.end(post.body);
  });
}

/** Ends what would go on writing to a receiver that has responded without reading. */
function destroyUnlessSent(request: ClientRequest): void {
  if (!request.writableFinished) request.destroy();
}
