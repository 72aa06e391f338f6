import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { type ApiClient, type ListedDelivery, type Output, useApi } from '../../api/hooks.js';
import { heldQueries, type ListFilter } from './delivery-filter.js';

type DeliveryPage = Output<'listDeliveries'>;
type Pages = InfiniteData<DeliveryPage, string | undefined>;

const PAGE_SIZE = 50;
/** Earlier pages are omitted, so that a long list stays fast. */
const MAX_PAGES = 6;
/** With a rare filter the API returns empty pages before the next match. */
const MAX_EMPTY_PAGES = 10;
/** How long a list stays as it was left. */
const KEPT_MS = 30 * 60_000;
const FIRST_PAGE: string | undefined = undefined;
const FINAL: ReadonlySet<ListedDelivery['state']> = new Set(['delivered', 'dead_lettered', 'cancelled']);

/** When lists were held, by history entry, so that going back from a delivery finds its list again. */
const heldLists = new Map<string, string>();

/** Returns the creation time of the newest delivery of a held list, undefined while the list is live, and what sets it. */
export function useHeldAt() {
  const { key } = useLocation();
  const [heldAt, setHeldAt] = useState(() => heldLists.get(key));
  useEffect(() => {
    if (heldAt === undefined) heldLists.delete(key);
    else heldLists.set(key, heldAt);
  }, [key, heldAt]);
  return [heldAt, setHeldAt] as const;
}

/**
 * The loaded pages of deliveries. A list that is held begins with the pages of the live one, its content is fixed, and `since` counts newer
 * deliveries; it is not reloaded once all of its deliveries are finished.
 */
export function useDeliveryPages(list: {
  /** Undefined: all webhooks of the company. */
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  readonly heldAt: string | undefined;
}) {
  const { webhookId, filter, heldAt } = list;
  const api = useApi();
  const queries = useQueryClient();
  const held = heldAt === undefined ? undefined : heldQueries(filter, heldAt);
  const scope = ['delivery-pages', webhookId, JSON.stringify(filter)] as const;
  const queryKey = [...scope, heldAt];
  const liveKey = [...scope, undefined];
  const isFinished = queries
    .getQueryData<Pages>(queryKey)
    ?.pages.every(({ deliveries }) => deliveries.every(({ state }) => FINAL.has(state)));
  const pages = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(api, webhookId, held?.list ?? filter, pageParam, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    maxPages: MAX_PAGES,
    initialData: () => queries.getQueryData<Pages>(liveKey),
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
    meta: { live: held === undefined || isFinished !== true, webhookId },
  });
  const since = useQuery({
    queryKey: [...scope, 'since', heldAt],
    queryFn: async ({ signal }) => {
      const page = await readPage(api, webhookId, held?.since ?? filter, undefined, signal);
      return { count: page.deliveries.length, atLeast: page.nextCursor !== null };
    },
    enabled: held?.since !== undefined,
    meta: { live: true, webhookId },
  });
  const { data } = pages;
  const deliveries = useMemo(() => data?.pages.flatMap((page) => page.deliveries), [data]);
  return {
    /** Undefined until the first page is loaded; the same array until one changes. */
    deliveries,
    isNewestLeftOut: data !== undefined && data.pageParams[0] !== undefined,
    /** Whether the pages of this list are still on their way. */
    isLoading: pages.isFetching || pages.isPlaceholderData,
    hasMore: pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    loadMore: () => void pages.fetchNextPage(),
    /** Why the deliveries, or more of them, could not be loaded. */
    error: data === undefined || pages.isFetchNextPageError ? pages.error : null,
    retry: () => void (data === undefined ? pages.refetch() : pages.fetchNextPage()),
    since: since.data,
    /** Has the list loaded anew, also where it would be held as before. */
    forget: () => queries.removeQueries({ queryKey: scope }),
  };
}

async function readPage(
  api: ApiClient,
  webhookId: string | undefined,
  filter: ListFilter,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<DeliveryPage> {
  let next = cursor;
  for (let left = MAX_EMPTY_PAGES; ; left -= 1) {
    const query = { ...filter, limit: PAGE_SIZE, cursor: next };
    const page = await (webhookId === undefined
      ? api.call('listCompanyDeliveries', { query }, signal)
      : api.call('listDeliveries', { params: { id: webhookId }, query }, signal));
    if (page.deliveries.length > 0 || page.nextCursor === null || left === 0) return page;
    next = page.nextCursor;
  }
}
