import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { useApi } from './api-context.js';

interface CursorPage {
  readonly nextCursor: string | null;
}

/**
 * A list that the API gives page by page. `pages` are those that were loaded; `loadMore` loads the next one while `hasMore`. Live
 * changes load all of them again.
 */
export function useCursorList<Page extends CursorPage>(list: {
  readonly key: readonly unknown[];
  readonly schema: z.ZodType<Page>;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The subscription that the list is about, if it is one. */
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
    /** What is shown is that of the query before. */
    isStale: result.isPlaceholderData,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    loadMore: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
  };
}

const FIRST_PAGE: string | undefined = undefined;
