import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useApi } from './api-context.js';
import type { Input, OperationId, Output } from './operations.js';

/** Loads the response of an operation and reloads it after changes. */
export function useOperation<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: {
    readonly enabled?: boolean;
    /** False for data that never changes. */
    readonly isLive?: boolean;
    /** For sums over many deliveries: reloaded every 30 seconds, not with each change. */
    readonly isSum?: boolean;
    /** Shows the response to the previous query until this one is loaded. */
    readonly keepsPrevious?: boolean;
  } = {},
) {
  const api = useApi();
  const { enabled = true, isLive = true, isSum = false, keepsPrevious = false } = options;
  const path = api.pathOf(id, input);
  return useQuery({
    queryKey: [path, input.query ?? {}],
    queryFn: ({ signal }) => api.call(id, input, signal),
    enabled,
    ...(isLive ? {} : { staleTime: Number.POSITIVE_INFINITY }),
    ...(keepsPrevious ? { placeholderData: keepPreviousData<Output<Id>> } : {}),
    meta: { live: isLive, isSum, ...webhookOf(path) },
  });
}

/** Operations whose response is a page of a list. */
type ListId = {
  [Id in OperationId]: Output<Id> extends { readonly nextCursor: string | null } ? Id : never;
}[OperationId];

/**
 * Loads a list of an operation by pages. `data` are the items of the loaded `pages`; `loadMore` loads the next one if `hasMore`.
 * Live changes reload all loaded pages.
 */
export function useOperationList<Id extends ListId, Item>(
  id: Id,
  input: Input<Id>,
  itemsOf: (page: Output<Id>) => readonly Item[],
  enabled = true,
) {
  const api = useApi();
  const path = api.pathOf(id, input);
  const result = useInfiniteQuery({
    queryKey: [path, input.query ?? {}, 'pages'],
    queryFn: ({ pageParam: cursor, signal }) =>
      api.call(id, { ...input, query: { ...input.query, cursor } }, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }: { readonly nextCursor: string | null }) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    meta: { live: true, ...webhookOf(path) },
  });
  const pages = result.data?.pages;
  return {
    pages,
    data: pages?.flatMap(itemsOf),
    error: result.error,
    refetch: result.refetch,
    /** True while the previous query's pages are shown. */
    isStale: result.isPlaceholderData,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
  };
}

const FIRST_PAGE: string | undefined = undefined;

/** The subscription that the data at a path is about, if any. */
function webhookOf(path: string) {
  const [, webhookId] = /^\/webhooks\/([^/]+)/.exec(path) ?? [];
  return webhookId === undefined ? {} : { webhookId };
}
