import { MAX_TIMER_MS } from './delay.js';
import { ConnectionError, errorOf } from './partner-error.js';

/** Limits of one call. A call ends at the first of them. */
export interface RetryLimits {
  /** Maximum number of attempts. Default 5. */
  readonly attempts?: number;
  /** Time for all attempts and delays together, in milliseconds. Default 120,000: more than a rate limit can last. */
  readonly totalMs?: number;
  /** Time for one attempt, body included, in milliseconds. Default 30,000. */
  readonly attemptMs?: number;
}

/** Sources of time and chance; a test replaces them. */
export interface Surroundings {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly now: () => number;
  readonly random: () => number;
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
}

const RETRIED = new Set([429, 502, 503, 504]);
const FIRST_BACKOFF_MS = 500;
const MOST_BACKOFF_MS = 20_000;

/**
 * Returns a `fetch` that repeats a request after 429, 502, 503, 504, 409 `idempotency_in_progress` and connection failures, with
 * exponential backoff and full jitter. It waits at least as long as `retry-after` says, and ends at once if that exceeds the total time. Each attempt sends the
 * same bytes and headers, so an idempotency key stays. Resolves to the last response; throws {@link ConnectionError} without one.
 */
export function createRetryingFetch(
  { attempts = 5, totalMs = 120_000, attemptMs = 30_000 }: RetryLimits,
  { fetch, now, random, delay }: Surroundings,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const end = now() + totalMs;
    for (let attempt = 1; ; attempt += 1) {
      const left = Math.max(1, Math.min(attemptMs, end - now()));
      const outcome = await sendOnce(fetch, request, left);
      const isFinal = outcome.response !== undefined && !(await isRetried(outcome.response));
      const backoffMs = random() * Math.min(MOST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
      const waitMs = retryAfterMs(outcome.response, now()) + backoffMs;
      if (isFinal || attempt >= attempts || now() + waitMs >= end) {
        if (outcome.response !== undefined) return outcome.response;
        throw new ConnectionError(`no response from ${new URL(request.url).origin} in ${attempt} attempts`, {
          cause: outcome.failure,
          idempotencyKey: request.headers.get('idempotency-key') ?? undefined,
        });
      }
      await delay(waitMs, request.signal);
    }
  };
}

type Outcome =
  | { readonly response: Response; readonly failure?: never }
  | { readonly response?: never; readonly failure: unknown };

/** A 409 for a key in flight is no refusal: an earlier attempt with this key can still succeed. */
async function isRetried(response: Response): Promise<boolean> {
  if (response.status !== 409) return RETRIED.has(response.status);
  return (await errorOf(response.clone(), undefined)).code === 'idempotency_in_progress';
}

/**
 * Reads the whole body, so that a connection that breaks within it is a failed attempt. The caller's abort is thrown. A redirect is the
 * response: its target would get the API key and the body, and `fetch` would turn a POST into a GET.
 */
async function sendOnce(fetch: Surroundings['fetch'], request: Request, timeoutMs: number): Promise<Outcome> {
  try {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS))]);
    const response = await fetch(new Request(request.clone(), { signal, redirect: 'manual' }));
    // Browsers show neither the status nor the location of a redirect.
    if (response.type === 'opaqueredirect') return { response: new Response(null, { status: 302 }) };
    const body = await response.arrayBuffer();
    const { status, statusText, headers } = response;
    return {
      response: new Response(body.byteLength === 0 ? null : body, { status, statusText, headers }),
    };
  } catch (failure) {
    if (request.signal.aborted) throw failure;
    return { failure };
  }
}

/** Reads seconds or an HTTP date; 0 for anything else. */
function retryAfterMs(response: Response | undefined, now: number): number {
  const value = response?.headers.get('retry-after') ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const instant = Date.parse(value);
  return Number.isNaN(instant) ? 0 : Math.max(0, instant - now);
}
