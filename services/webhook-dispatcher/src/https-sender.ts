import { performance } from 'node:perf_hooks';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { After } from '@partner/kernel/timers';
import { classifyFailure } from './classify-failure.js';
import type { ConnectionPool } from './connection-pool.js';
import { type Deadline, startDeadline } from './deadline.js';
import {
  type AdmittedEndpoint,
  type DialTarget,
  ENDPOINT_REFUSALS,
  type EndpointGuard,
  type RefusalCause,
} from './endpoint-guard.js';
import {
  type Ending,
  exchange,
  type ExchangeTrace,
  NOTHING_REACHED,
  type OutgoingPost,
  type PostResponse,
} from './https-exchange.js';

/** How a POST ended. `error` is in words that the company owner may read. */
export type PostResult = { readonly durationMs: number; readonly trace: ExchangeTrace } & (
  | { readonly outcome: 'delivered'; readonly answer: PostResponse; readonly remoteAddress: string }
  | {
      readonly outcome: 'rejected';
      readonly answer: PostResponse;
      readonly remoteAddress: string;
      readonly error: string;
    }
  | {
      readonly outcome: 'timed_out' | 'tls_failed' | 'connection_failed';
      /** The part of a response that arrived before it broke off. */
      readonly answer?: PostResponse | undefined;
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
   * addresses that it has just vetted are dialled, so that a response of DNS cannot change in between.
   */
  post(post: OutgoingPost): Promise<PostResult>;
}

const MAX_TARGETS = 4;
const TRACED_ADDRESSES = 16;

/**
 * Makes the sender. The time limit covers name resolution, connecting, TLS and the whole response. When a vetted address does
 * not take the connection, the next one is tried: nothing has been sent by then. The same holds for a kept connection that
 * the receiver closed before its reuse. Once the request may have been sent it is never sent again, so that one call is
 * at most one POST.
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
  const timeoutError = `there was no complete response within ${timeoutMs / 1_000} seconds`;

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
      const limits = { deadline, connectMs: isLast ? undefined : connectTimeoutMs };
      let ending = await exchange(pool, endpoint, target, post, limits);
      // Each of these has left the pool, so a new connection is the last.
      while (ending.kind === 'nothing-sent') ending = await exchange(pool, endpoint, target, post, limits);
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
      const error = `the endpoint responded with ${status}${isRedirect ? '; redirects are not followed' : ''}`;
      return { outcome: 'rejected', answer: ending.answer, error };
    }
  }
}

function tracedLookup({ lookupMs, targets }: AdmittedEndpoint): Pick<ExchangeTrace, 'dnsMs' | 'addresses'> {
  if (lookupMs === undefined) return {};
  return { dnsMs: lookupMs, addresses: targets.slice(0, TRACED_ADDRESSES).map(({ address }) => address) };
}
