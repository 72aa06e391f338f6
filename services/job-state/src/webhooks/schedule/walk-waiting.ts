import type { Counter } from 'prom-client';
import type { Database } from '../../database/database.js';
import { endExpiredLeases, findWaiting } from './claim-due.js';

/** Milliseconds between polls for retries and expired leases, unless the last claim found a retry: most are not due for minutes. */
const RETRY_POLL_MS = 200;
/** Subscriptions that one claim inspects: its duration grows with their number. */
export const SUBSCRIPTIONS_AT_ONCE = 500;

/** Walks over the subscriptions with waiting deliveries, in rotation, so that each is served eventually. */
export function walkWaiting(options: {
  readonly database: Pick<Database, 'query'>;
  readonly elapsedMs: () => number;
  readonly leaseExpiries: Pick<Counter, 'inc'>;
}) {
  let mayFind = true;
  let retriesPolledAt = Number.NEGATIVE_INFINITY;
  let hasRetryBacklog = false;
  const scannedUpTo = { pending: '', retry_scheduled: '' };

  async function step(state: 'pending' | 'retry_scheduled'): Promise<readonly string[]> {
    const afterId = scannedUpTo[state];
    const ids = await findWaiting(options.database, { state, afterId, limit: SUBSCRIPTIONS_AT_ONCE });
    const isEnd = ids.length < SUBSCRIPTIONS_AT_ONCE;
    if (ids.length > 0) mayFind = true;
    scannedUpTo[state] = isEnd ? '' : (ids.at(-1) ?? '');
    return ids;
  }

  return {
    /**
     * The next subscriptions: those with first attempts, and less often, except for a backlog of due retries, those with retries
     * only. With the retries it ends expired leases.
     */
    async next(): Promise<readonly string[]> {
      const now = options.elapsedMs();
      mayFind = false;
      const withFirst = await step('pending');
      if (!hasRetryBacklog && now - retriesPolledAt < RETRY_POLL_MS) return withFirst;
      options.leaseExpiries.inc(await endExpiredLeases(options.database));
      retriesPolledAt = now;
      hasRetryBacklog = false;
      return [...new Set([...withFirst, ...(await step('retry_scheduled'))])];
    },
    /** False if the latest steps found nothing and no commit has left a delivery since. */
    mayFind: () => mayFind,
    expect(): void {
      mayFind = true;
    },
    /** Retries were claimed: more of them may be due. */
    expectRetries(): void {
      hasRetryBacklog = true;
    },
  };
}
