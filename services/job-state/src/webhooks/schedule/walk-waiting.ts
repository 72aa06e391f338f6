import type { Counter } from 'prom-client';
import type { Database } from '../../database/database.js';
import { endExpiredLeases, EXPIRED_AT_ONCE, findWaiting } from './claim-due.js';

/** Subscriptions that one claim inspects: its duration grows with their number. */
export const SUBSCRIPTIONS_AT_ONCE = 500;
/** All expired leases are looked for so often, and those of the last seconds otherwise: dead rows before them can be many. */
const ALL_LEASES_MS = 60_000;
const LATELY_SECONDS = 10;
/** After an outage the dispatcher reconnects, within 6 s, and reports what it has sent meanwhile. */
const RESULTS_FIRST_MS = 15_000;
/** Without a finished statement for so long, beyond a poll, this process or the database stood still. */
const STILL_MS = 3_000;

/** Walks over the subscriptions with waiting deliveries, in rotation, so that each is served eventually. */
export function walkWaiting(options: {
  readonly database: Pick<Database, 'query'>;
  readonly elapsedMs: () => number;
  /** Between polls for retries and expired leases, unless retries were claimed lately: most are not due for minutes. */
  readonly retryPollMs: number;
  readonly leaseExpiries: Pick<Counter, 'inc'>;
  /** False while no result can arrive. Leases do not end then, nor before results could arrive for 15 s. Absent: they always end. */
  readonly canResultsArrive?: (() => boolean) | undefined;
}) {
  let mayFind = true;
  let hasFirst = true;
  let retriesPolledAt = Number.NEGATIVE_INFINITY;
  let retriesClaimedAt = Number.NEGATIVE_INFINITY;
  let allLeasesAt = Number.NEGATIVE_INFINITY;
  let noResultsAt = options.elapsedMs();
  let activeAt = noResultsAt;
  const scannedUpTo = { pending: '', retry_scheduled: '' };

  async function step(state: 'pending' | 'retry_scheduled'): Promise<readonly string[]> {
    const afterId = scannedUpTo[state];
    const ids = await findWaiting(options.database, { state, afterId, limit: SUBSCRIPTIONS_AT_ONCE });
    const isEnd = ids.length < SUBSCRIPTIONS_AT_ONCE;
    if (ids.length > 0) mayFind = true;
    scannedUpTo[state] = isEnd ? '' : (ids.at(-1) ?? '');
    return ids;
  }

  function noteStandstill(): void {
    const now = options.elapsedMs();
    if (now - activeAt > options.retryPollMs + STILL_MS) noResultsAt = now;
    activeAt = now;
  }

  async function endLeases(now: number): Promise<void> {
    noteStandstill();
    if (options.canResultsArrive !== undefined && options.elapsedMs() - noResultsAt < RESULTS_FIRST_MS) {
      allLeasesAt = Number.NEGATIVE_INFINITY;
      return;
    }
    const isFull = now - allLeasesAt >= ALL_LEASES_MS || now - retriesPolledAt >= LATELY_SECONDS * 1_000;
    const ended = await endExpiredLeases(options.database, isFull ? undefined : LATELY_SECONDS);
    options.leaseExpiries.inc(ended);
    if (ended === EXPIRED_AT_ONCE) allLeasesAt = Number.NEGATIVE_INFINITY;
    else if (isFull) allLeasesAt = now;
  }

  async function find(now: number): Promise<readonly string[]> {
    mayFind = false;
    const withFirst = await step('pending');
    hasFirst = withFirst.length > 0;
    if (!hasRetryBacklog() && now - retriesPolledAt < options.retryPollMs) return withFirst;
    await endLeases(now);
    retriesPolledAt = now;
    return [...new Set([...withFirst, ...(await step('retry_scheduled'))])];
  }

  const hasRetryBacklog = () => options.elapsedMs() - retriesClaimedAt < 2 * options.retryPollMs;

  return {
    /**
     * The next subscriptions: those with first attempts, and less often, except for a backlog of due retries, those with retries
     * only. With the retries it ends expired leases.
     */
    async next(): Promise<readonly string[]> {
      const now = options.elapsedMs();
      noteStandstill();
      if (options.canResultsArrive?.() === false) noResultsAt = now;
      try {
        return await find(now);
      } catch (error) {
        // Results cannot be recorded either.
        noResultsAt = options.elapsedMs();
        throw error;
      }
    },
    /** False if the latest steps found nothing and no commit has left a delivery since. */
    mayFind: () => mayFind,
    /** Whether deliveries may be due that begin within a poll, as a slot or their rate permits. */
    isBusy: () => hasFirst || hasRetryBacklog(),
    expect(): void {
      mayFind = true;
    },
    /** Retries were claimed: more of them may be due. */
    expectRetries(): void {
      retriesClaimedAt = options.elapsedMs();
    },
  };
}
