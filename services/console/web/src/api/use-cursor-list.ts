import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { useApi } from './api-context.js';

interface CursorPage {
  readonly nextCursor: string | null;
}

/**
 * A paginated list. `pages` are the loaded pages; `loadMore` loads the next one if `hasMore`. Live changes reload all loaded pages.
 */
export function useCursorList<Page extends CursorPage>(list: {
  readonly key: readonly unknown[];
  readonly schema: z.ZodType<Page>;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The subscription that the list is about, if any. */
  readonly webhookId?: string | undefined;
  readonly enabled?: boolean;
}) {
  const api = useApi();
  const result = useInfiniteQuery({
    queryKey: [...list.key, list.query ?? {}],
    queryFn: ({ pageParam, signal }) =>
      api.read(list.schema, {
        path: list.path,
        query: { ...list.query, cursor: pageParam },
        signal,
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled: list.enabled ?? true,
    meta: { live: true, ...(list.webhookId === undefined ? {} : { webhookId: list.webhookId }) },
  });
  return {
    pages: result.data?.pages,
    error: result.error,
    isPending: result.isPending,
    /** True while the previous query's pages are shown. */
    isStale: result.isPlaceholderData,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
  };
}

const FIRST_PAGE: string | undefined = undefined;
