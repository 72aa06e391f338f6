import type { QueryClient, QueryFilters } from '@tanstack/react-query';

/** Returns the subscriptions in a `changed` event; empty if it names none or is malformed. */
function webhookIdsOf(data: unknown): readonly string[] {
  try {
    const change: unknown = typeof data === 'string' ? JSON.parse(data) : null;
    const ids = typeof change === 'object' && change !== null && 'webhookIds' in change && change.webhookIds;
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * Reports the changes of a stream. The browser reopens a stream that ends or fails; when it is open again, `onChange` is called without
 * ids, because changes may have been missed.
 */
export function reportChanges(
  source: EventTarget,
  onChange: (webhookIds: readonly string[]) => void,
  wasInterrupted: boolean,
): void {
  let isInterrupted = wasInterrupted;
  source.addEventListener('open', () => {
    if (isInterrupted) onChange([]);
    isInterrupted = false;
  });
  source.addEventListener('error', () => {
    isInterrupted = true;
  });
  source.addEventListener('changed', (event) =>
    onChange(webhookIdsOf('data' in event ? event.data : undefined)),
  );
}

/**
 * Returns whether to reload data after a change of these subscriptions; none named: of any. Sums (`isSum`) are expensive and cover
 * many subscriptions, so only a reload of everything includes them.
 */
export function isConcerned(
  meta: Readonly<Record<string, unknown>> | undefined,
  webhookIds: readonly string[],
): boolean {
  if (meta?.['live'] !== true) return false;
  if (webhookIds.length === 0) return true;
  const webhookId = meta['webhookId'];
  return meta['isSum'] !== true && (typeof webhookId !== 'string' || webhookIds.includes(webhookId));
}

/**
 * Reloads live data about these subscriptions or about no single one; none named: all of it. A list that loads a further page is left to
 * the next reload: it would lose that page. Without `cancels`, requests in flight go on; returns whether there were any.
 */
export async function invalidateLive(
  queries: QueryClient,
  webhookIds: readonly string[],
  { cancels }: { readonly cancels: boolean },
): Promise<boolean> {
  const concerned: QueryFilters = {
    predicate: ({ meta, state }) => isConcerned(meta, webhookIds) && state.fetchMeta?.fetchMore === undefined,
  };
  const wasLoading = queries.isFetching(concerned) > 0;
  await queries.invalidateQueries(concerned, { cancelRefetch: cancels });
  return wasLoading;
}

/** The least time between two reloads because of changes. */
const PACE_MS = 2_000;

/**
 * Returns a function that notes a change and reloads after it: at once, or after the reload in flight, and at most every 2 seconds. No
 * change ends a reload, so data arrive on a slow line too. `reload` returns whether it found older requests in flight, which may lack
 * the change; then another follows.
 */
export function paceReloads(
  reload: (webhookIds: readonly string[]) => Promise<boolean>,
  wait: (ms: number) => Promise<void>,
): (webhookIds: readonly string[]) => void {
  let queued: readonly string[] | undefined;
  let isRunning = false;

  function queue(webhookIds: readonly string[]): void {
    const isOfAll = webhookIds.length === 0 || queued?.length === 0;
    queued = isOfAll ? [] : [...new Set([...(queued ?? []), ...webhookIds])];
  }

  async function run(): Promise<void> {
    isRunning = true;
    while (queued !== undefined) {
      const webhookIds = queued;
      queued = undefined;
      const [wasLoading] = await Promise.all([reload(webhookIds), wait(PACE_MS)]);
      if (wasLoading) queue(webhookIds);
    }
    isRunning = false;
  }

  return (webhookIds) => {
    queue(webhookIds);
    if (!isRunning) void run();
  };
}
