import { performance } from 'node:perf_hooks';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { After } from '@partner/kernel/process/timers';
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

/** Outcome of a POST. `error` is shown to the company's owner. */
export type PostResult = { readonly durationMs: number; readonly trace: ExchangeTrace } & (
  | { readonly outcome: 'delivered'; readonly response: PostResponse; readonly remoteAddress: string }
  | {
      readonly outcome: 'rejected';
      readonly response: PostResponse;
      readonly remoteAddress: string;
      readonly error: string;
    }
  | {
      readonly outcome: 'timed_out' | 'tls_failed' | 'connection_failed';
      /** The part of the response that arrived. */
      readonly response?: PostResponse | undefined;
      /** Absent if no connection was attempted. */
      readonly remoteAddress?: string | undefined;
      readonly error: string;
    }
  | { readonly outcome: 'endpoint_refused'; readonly cause: RefusalCause; readonly error: string }
);

/** Sends webhook POSTs. Nothing else in the service connects to partners' endpoints. */
export interface HttpsSender {
  /**
   * POSTs once. Never throws because of the endpoint: its failure is a result. The guard vets the endpoint each time, and the sender
   * connects only to the vetted addresses, so a DNS change in between has no effect.
   */
  post(post: OutgoingPost): Promise<PostResult>;
}

/** Time limit of a POST (spec: Acknowledgement and retries 1). */
const TIMEOUT_MS = LIMITS.webhookTimeoutMs;
const TIMEOUT_ERROR = `there was no complete response within ${TIMEOUT_MS / 1_000} seconds`;
/** Time limit of a connect before the next vetted address is tried. */
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_TARGETS = 4;
const TRACED_ADDRESSES = 16;

/**
 * Creates the sender. The time limit covers DNS, connect, TLS and the whole response. If a vetted address does not accept the
 * connection, or the receiver closed a kept connection before its reuse, nothing was sent and the sender tries the next. Once
 * the request may have been sent, it is never sent again: one call is at most one POST.
 */
export function createHttpsSender(deps: {
  readonly guard: EndpointGuard;
  readonly pool: ConnectionPool;
  readonly after: After;
}): HttpsSender {
  const { guard, pool, after } = deps;

  async function attempt(post: OutgoingPost, deadline: Deadline): Promise<Without<PostResult, 'durationMs'>> {
    const verdict = await deadline.unlessPassed(guard.admit(post.url));
    if (verdict === undefined) return { outcome: 'timed_out', error: TIMEOUT_ERROR, trace: NOTHING_REACHED };
    if (!verdict.admitted) {
      const { cause } = verdict;
      const error = `the endpoint URL ${ENDPOINT_REFUSALS[cause]}`;
      return { outcome: 'endpoint_refused', cause, error, trace: NOTHING_REACHED };
    }

    const { endpoint } = verdict;
    const targets = inDialOrder(endpoint);
    for (const [index, target] of targets.entries()) {
      const isLast = index === targets.length - 1;
      const startConnecting = isLast ? undefined : (end: () => void) => after(CONNECT_TIMEOUT_MS, end);
      const limits = { deadline, startConnecting };
      let ending = await exchange(pool, endpoint, target, post, limits);
      // Each attempt removes its kept connection from the pool, so the loop ends with a new connection.
      while (ending.kind === 'nothing-sent') ending = await exchange(pool, endpoint, target, post, limits);
      if (ending.kind === 'failed' && ending.phase === 'connect' && !isLast) continue;
      const trace = { ...tracedLookup(endpoint), ...ending.trace };
      return { ...judge(ending), remoteAddress: target.address, trace };
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
      const deadline = startDeadline(TIMEOUT_MS, after);
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

function judge(ending: Ending): Without<Dialled, 'remoteAddress' | 'trace' | 'durationMs'> {
  const { response } = ending;
  switch (ending.kind) {
    case 'expired':
      return { outcome: 'timed_out', response, error: TIMEOUT_ERROR };
    case 'failed':
      return { ...classifyFailure(ending.phase, ending.error), response };
    case 'responded': {
      const { status } = ending.response;
      if (status >= 200 && status <= 299) return { outcome: 'delivered', response: ending.response };
      const isRedirect = status >= 300 && status <= 399;
      const error = `the endpoint responded with ${status}${isRedirect ? '; redirects are not followed' : ''}`;
      return { outcome: 'rejected', response: ending.response, error };
    }
  }
}

function tracedLookup({ lookupMs, targets }: AdmittedEndpoint): Pick<ExchangeTrace, 'dnsMs' | 'addresses'> {
  if (lookupMs === undefined) return {};
  return { dnsMs: lookupMs, addresses: targets.slice(0, TRACED_ADDRESSES).map(({ address }) => address) };
}
