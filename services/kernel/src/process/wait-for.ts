import { setTimeout as delay } from 'node:timers/promises';
import { type Backoff, createBackoff } from './backoff.js';
import type { Logger } from '../telemetry/logger.js';
import { urlsIn } from './urls-in.js';

/** An attempt without a result for this long is reported too. */
const SILENT_MS = 1_000;
/** Maximum of lines about one wait, if its causes change. */
const MAX_LINES = 10;

/** A dependency refuses this process for good, e.g. its password: time alone does not help. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

export interface WaitOptions {
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Ends the wait: it rejects after the attempt in flight. */
  readonly signal: AbortSignal;
  /** Absent: a new one. */
  readonly backoff?: Pick<Backoff, 'nextDelayMs'>;
  /** Whether a {@link RefusedError} ends the wait, too. */
  readonly untilRefused?: boolean;
}

export type WaitFor = <T>(what: string, attempt: () => Promise<T>) => Promise<T>;

/**
 * Waits for something that a process needs: repeats an attempt, with a backoff of 100 ms to 5 s, until it succeeds, and returns its
 * result. The only way in which a process waits for a dependency.
 *
 * `dependency.waiting` says what it waits for and why, once for each cause; `dependency.reached` follows. `what` is text for a log, with
 * hosts and without credentials. An attempt must end without help.
 */
export async function waitFor<T>(
  what: string,
  attempt: () => Promise<T>,
  { logger, signal, backoff = createBackoff(Math.random), untilRefused = false }: WaitOptions,
): Promise<T> {
  const reported = new Set<string>();
  const report = (cause: string, error?: { readonly err: unknown }) => {
    if (reported.has(cause) || reported.size >= MAX_LINES) return;
    reported.add(cause);
    logger.warn({ for: what, cause, ...error }, 'dependency.waiting');
  };
  const silence = setTimeout(() => {
    if (reported.size === 0) report('no response yet');
  }, SILENT_MS);
  try {
    for (;;) {
      signal.throwIfAborted();
      try {
        const result = await attempt();
        if (reported.size > 0) logger.info({ for: what }, 'dependency.reached');
        return result;
      } catch (error) {
        if (signal.aborted || (untilRefused && error instanceof RefusedError)) throw error;
        report(failureText(error), { err: error });
      }
      await delay(backoff.nextDelayMs(), undefined, { signal });
    }
  } finally {
    clearTimeout(silence);
  }
}

/** Returns the messages of an error and its causes, or of the errors that it aggregates, for one line. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, name, cause } = error;
  const errors: readonly unknown[] = error instanceof AggregateError && message === '' ? error.errors : [];
  const text = errors.length > 0 ? errors.map(failureText).join('; ') : message || codeOf(error) || name;
  if (cause === undefined) return text;
  const causeText = failureText(cause);
  return text.includes(causeText) ? text : `${text}: ${causeText}`;
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

/** Returns the hosts of a URL, or of several that are separated by commas, without credentials. */
export function hostsOf(urls: string): string {
  return urlsIn(urls)
    .map((url) => new URL(url).host)
    .join(', ');
}
