import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import { classifyFailure, type ExchangePhase } from './classify-failure.js';
import { type ConnectionPool, serverNameOf } from './connection-pool.js';
import {
  type AdmittedEndpoint,
  type DialTarget,
  ENDPOINT_REFUSAL,
  type EndpointGuard,
  type RefusalCause,
} from './endpoint-guard.js';

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

/** How a POST ended. `error` is in words that the company owner may read. */
export type PostResult = { readonly durationMs: number } & (
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

const READ_BYTES = 64 * 1_024;
const KEPT_BYTES = 4 * 1_024;
const HEADER_BYTES = 16 * 1_024;
const MAX_TARGETS = 4;

/**
 * Makes the sender. The time limit covers name resolution, connecting, TLS and the whole answer; at most 64 KiB of an
 * answer are read, after which its status alone counts. Redirects are not followed. When a vetted address does not take
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
}): HttpsSender {
  const { guard, pool, timeoutMs = LIMITS.webhookTimeoutMs, connectTimeoutMs = 3_000 } = deps;
  const timeoutError = `there was no complete answer within ${timeoutMs / 1_000} seconds`;

  async function attempt(post: OutgoingPost, expiry: AbortSignal): Promise<Undated<PostResult>> {
    const verdict = await unlessAborted(guard.admit(post.url), expiry);
    if (verdict === undefined) return { outcome: 'timed_out', error: timeoutError };
    if (!verdict.admitted) {
      return { outcome: 'endpoint_refused', cause: verdict.cause, error: ENDPOINT_REFUSAL };
    }

    const targets = inDialOrder(verdict.endpoint);
    for (const [index, target] of targets.entries()) {
      const isLast = index === targets.length - 1;
      const ending = await exchange(
        verdict.endpoint,
        target,
        post,
        expiry,
        isLast ? undefined : connectTimeoutMs,
      );
      const remoteAddress = target.address;
      switch (ending.kind) {
        case 'answered':
          return judge(ending.answer, remoteAddress);
        case 'expired':
          return { outcome: 'timed_out', answer: ending.answer, remoteAddress, error: timeoutError };
        case 'failed':
          if (ending.phase === 'connect' && !isLast) break;
          return { ...classifyFailure(ending.phase, ending.error), answer: ending.answer, remoteAddress };
      }
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
    expiry: AbortSignal,
    connectLimitMs: number | undefined,
  ): Promise<Ending> {
    if (expiry.aborted) return Promise.resolve({ kind: 'expired', answer: undefined });
    const key = { ...target, hostName };
    return new Promise((resolve) => {
      let phase: ExchangePhase = 'connect';
      let response: IncomingMessage | undefined;
      let readBytes = 0;
      const kept: Buffer[] = [];
      let connectTimer: NodeJS.Timeout | undefined;

      const answerSoFar = (): PostAnswer | undefined =>
        response?.statusCode === undefined
          ? undefined
          : {
              status: response.statusCode,
              body: Buffer.concat(kept),
              retryAfter: response.headers['retry-after'],
            };
      const end = (ending: Ending) => {
        clearTimeout(connectTimer);
        expiry.removeEventListener('abort', onExpiry);
        resolve(ending);
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
      const onExpiry = () => {
        end({ kind: 'expired', answer: answerSoFar() });
        request.destroy();
      };

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
      expiry.addEventListener('abort', onExpiry);

      request.once('socket', (socket: Socket) => {
        if (request.reusedSocket) {
          phase = 'http';
          return;
        }
        socket.once('connect', () => {
          phase = 'tls';
          clearTimeout(connectTimer);
        });
        socket.once('secureConnect', () => {
          phase = 'http';
        });
        if (connectLimitMs !== undefined) {
          connectTimer = setTimeout(() => {
            request.destroy(Object.assign(new Error('connecting took too long'), { code: 'ETIMEDOUT' }));
          }, connectLimitMs);
        }
      });
      request.on('error', fail);
      request.on('upgrade', (incoming, socket) => {
        response = incoming;
        socket.destroy();
        succeed();
      });
      request.on('response', (incoming) => {
        response = incoming;
        incoming.on('data', (chunk: Buffer) => {
          const room = KEPT_BYTES - Math.min(readBytes, KEPT_BYTES);
          if (room > 0) kept.push(chunk.subarray(0, room));
          readBytes += chunk.byteLength;
          if (readBytes < READ_BYTES) return;
          succeed();
          incoming.destroy();
        });
        incoming.once('end', succeed);
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
      const expiry = new AbortController();
      const timer = setTimeout(() => expiry.abort(), timeoutMs);
      try {
        const result = await attempt(post, expiry.signal);
        return { ...result, durationMs: Math.round(performance.now() - begin) };
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

type Undated<Result> = Result extends unknown ? Omit<Result, 'durationMs'> : never;

function judge(answer: PostAnswer, remoteAddress: string): Undated<PostResult> {
  const { status } = answer;
  if (status >= 200 && status <= 299) return { outcome: 'delivered', answer, remoteAddress };
  const isRedirect = status >= 300 && status <= 399;
  const error = `the endpoint answered ${status}${isRedirect ? '; redirects are not followed' : ''}`;
  return { outcome: 'rejected', answer, remoteAddress, error };
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
    work.then(resolve, reject);
  });
}
