import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { After } from '@partner/kernel/timers';
import { classifyFailure, type ExchangePhase } from './classify-failure.js';
import { type ConnectionPool, serverNameOf } from './connection-pool.js';
import { type Deadline, startDeadline } from './deadline.js';
import {
  type AdmittedEndpoint,
  type DialTarget,
  ENDPOINT_REFUSALS,
  type EndpointGuard,
  type RefusalCause,
} from './endpoint-guard.js';
import type { PeerCertificate } from './peer-certificate.js';

/** One POST to make. */
export interface OutgoingPost {
  /** As stored; it goes through the guard before anything is connected. */
  readonly url: string;
  /** Besides `host` and `content-length`, which are set here. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What an answer held. */
export interface PostAnswer {
  readonly status: number;
  /** The first 4 KiB. */
  readonly body: Uint8Array;
  readonly retryAfter: string | undefined;
}

/** What became of each step of one POST; what was not reached is absent. Milliseconds are of that step alone. */
export interface ExchangeTrace {
  /** Until the host's addresses were known; absent when it was not looked up, and for a refused endpoint. */
  readonly dnsMs?: number | undefined;
  /** The answer of that lookup, the first 16. All are public: a refused endpoint has none. */
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
  /** From the last byte of the request to the first status line and headers of an answer. */
  readonly firstByteMs?: number | undefined;
}

/** How a POST ended. `error` is in words that the company owner may read. */
export type PostResult = { readonly durationMs: number; readonly trace: ExchangeTrace } & (
  | { readonly outcome: 'delivered'; readonly answer: PostAnswer; readonly remoteAddress: string }
  | {
      readonly outcome: 'rejected';
      readonly answer: PostAnswer;
      readonly remoteAddress: string;
      readonly error: string;
    }
  | {
      readonly outcome: 'timed_out' | 'tls_failed' | 'connection_failed';
      /** What had come of an answer that broke off. */
      readonly answer?: PostAnswer | undefined;
      /** Absent when nothing was dialled. */
      readonly remoteAddress?: string | undefined;
      readonly error: string;
    }
  | { readonly outcome: 'endpoint_refused'; readonly cause: RefusalCause; readonly error: string }
);

/** Makes webhook POSTs; the only part of the service that connects to strangers. */
export interface HttpsSender {
  /**
   * POSTs once. Never throws for what the endpoint does: that is the result. The guard is asked each time, and only the
   * addresses that it has just vetted are dialled, so that an answer of DNS can not change in between.
   */
  post(post: OutgoingPost): Promise<PostResult>;
}

type Ending =
  | { readonly kind: 'answered'; readonly answer: PostAnswer }
  | { readonly kind: 'expired'; readonly answer: PostAnswer | undefined }
  | {
      readonly kind: 'failed';
      readonly phase: ExchangePhase;
      readonly error: Error;
      readonly answer: PostAnswer | undefined;
    };

/** The trace without what came before the exchange. */
type TracedEnding = Ending & { readonly trace: ExchangeTrace };

const READ_BYTES = 64 * 1_024;
const KEPT_BYTES = 4 * 1_024;
const HEADER_BYTES = 16 * 1_024;
/** What may come over a connection for one answer, with its headers, its frames of chunks and the interim answers. */
const WIRE_BYTES = 2 * READ_BYTES;
const MAX_TARGETS = 4;
const TRACED_ADDRESSES = 16;
const NOTHING_REACHED: ExchangeTrace = { reusedConnection: false };

/**
 * Makes the sender. The time limit covers name resolution, connecting, TLS and the whole answer; at most 64 KiB of an
 * answer are read, and 128 KiB with all that frames it, after which its status alone counts. Redirects are not followed. When a vetted address does not take
 * the connection, the next one is tried: nothing has been sent by then. Once the request may have been sent it is never
 * sent again, so that one call is at most one POST.
 */
export function createHttpsSender(deps: {
  readonly guard: EndpointGuard;
  readonly pool: ConnectionPool;
  /** Milliseconds for the whole (spec: Acknowledgement and retries 1). */
  readonly timeoutMs?: number;
  /** Milliseconds after which another vetted address is tried, when there is one. */
  readonly connectTimeoutMs?: number;
  /** Timer of the time limit; absent: the process's. */
  readonly after?: After;
}): HttpsSender {
  const { guard, pool, timeoutMs = LIMITS.webhookTimeoutMs, connectTimeoutMs = 3_000, after } = deps;
  const timeoutError = `there was no complete answer within ${timeoutMs / 1_000} seconds`;

  async function attempt(post: OutgoingPost, deadline: Deadline): Promise<Without<PostResult, 'durationMs'>> {
    const verdict = await deadline.unlessPassed(guard.admit(post.url));
    if (verdict === undefined) return { outcome: 'timed_out', error: timeoutError, trace: NOTHING_REACHED };
    if (!verdict.admitted) {
      const { cause } = verdict;
      const error = `the endpoint URL ${ENDPOINT_REFUSALS[cause]}`;
      return { outcome: 'endpoint_refused', cause, error, trace: NOTHING_REACHED };
    }

    const { endpoint } = verdict;
    const targets = inDialOrder(endpoint);
    for (const [index, target] of targets.entries()) {
      const isLast = index === targets.length - 1;
      const ending = await exchange(endpoint, target, post, deadline, isLast ? undefined : connectTimeoutMs);
      if (ending.kind === 'failed' && ending.phase === 'connect' && !isLast) continue;
      const trace = { ...tracedLookup(endpoint), ...ending.trace };
      return { ...judge(ending, timeoutError), remoteAddress: target.address, trace };
    }
    throw new Error('an admitted endpoint has no target');
  }

  function inDialOrder({ targets, hostName }: AdmittedEndpoint): readonly DialTarget[] {
    const idle = targets.find((target) => pool.hasIdle({ ...target, hostName }));
    const ordered = idle === undefined ? targets : [idle, ...targets.filter((target) => target !== idle)];
    return ordered.slice(0, MAX_TARGETS);
  }

  function exchange(
    { url, hostName }: AdmittedEndpoint,
    target: DialTarget,
    post: OutgoingPost,
    deadline: Deadline,
    connectLimitMs: number | undefined,
  ): Promise<TracedEnding> {
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

      const answerSoFar = (): PostAnswer | undefined =>
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
        if (answer === undefined) fail(new Error('the answer has no status'));
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
      deadline.whenPassed(() => {
        end({ kind: 'expired', answer: answerSoFar() });
        // A connection that is given up for its silence is not one that the receiver has closed.
        request.off('error', fail).on('error', () => undefined);
        request.destroy();
      });

      request.once('socket', (given: Socket) => {
        socket = given;
        wireBytesBefore = given.bytesRead;
        if (request.reusedSocket) {
          phase = 'http';
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
          request.destroy(Object.assign(new Error('too many interim answers'), { code: 'TOO_MANY_INTERIM' }));
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
          fail(Object.assign(new Error('the answer has no status'), { code: 'HPE_INVALID_STATUS' }));
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
          if (!incoming.complete) fail(new Error('the answer broke off'));
        });
      });
      request.end(post.body);
    });
  }

  return {
    async post(post) {
      const begin = performance.now();
      const deadline = startDeadline(timeoutMs, after);
      try {
        const result = await attempt(post, deadline);
        return { ...result, durationMs: Math.round(performance.now() - begin) };
      } finally {
        deadline.stop();
      }
    },
  };
}

type Without<Result, Key extends string> = Result extends unknown ? Omit<Result, Key> : never;
type Dialled = Exclude<PostResult, { readonly outcome: 'endpoint_refused' }>;

function judge(
  ending: Ending,
  timeoutError: string,
): Without<Dialled, 'remoteAddress' | 'trace' | 'durationMs'> {
  const { answer } = ending;
  switch (ending.kind) {
    case 'expired':
      return { outcome: 'timed_out', answer, error: timeoutError };
    case 'failed':
      return { ...classifyFailure(ending.phase, ending.error), answer };
    case 'answered': {
      const { status } = ending.answer;
      if (status >= 200 && status <= 299) return { outcome: 'delivered', answer: ending.answer };
      const isRedirect = status >= 300 && status <= 399;
      const error = `the endpoint answered ${status}${isRedirect ? '; redirects are not followed' : ''}`;
      return { outcome: 'rejected', answer: ending.answer, error };
    }
  }
}

function tracedLookup({ lookupMs, targets }: AdmittedEndpoint): Pick<ExchangeTrace, 'dnsMs' | 'addresses'> {
  if (lookupMs === undefined) return {};
  return { dnsMs: lookupMs, addresses: targets.slice(0, TRACED_ADDRESSES).map(({ address }) => address) };
}

/** Ends what would go on writing to a receiver that has answered without reading. */
function destroyUnlessSent(request: ClientRequest): void {
  if (!request.writableFinished) request.destroy();
}
