import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ApiClient, type ListedDelivery, type Output, useApi } from '../../api/hooks.js';
import { heldQueries, type ListFilter } from './delivery-filter.js';

type DeliveryPage = Output<'listDeliveries'>;

const PAGE_SIZE = 50;
/** With a rare filter the API returns empty pages before the next match. */
const MAX_EMPTY_PAGES = 10;
const FINAL: ReadonlySet<ListedDelivery['state']> = new Set(['delivered', 'dead_lettered', 'cancelled']);

/**
 * Deliveries in pages: the newest page, unless it is omitted, and those after the given cursors. While the list
 * is held, its content is fixed and `since` counts newer deliveries. Pages with only finished deliveries are not reloaded.
 */
export function useDeliveryPages(list: {
  /** Undefined: all webhooks of the company. */
  readonly webhookId: string | undefined;
  readonly filter: ListFilter;
  /** Creation time of the newest delivery of a held list. */
  readonly heldAt: string | undefined;
  readonly cursors: readonly string[];
  readonly isNewestLeftOut: boolean;
}) {
  const { webhookId, filter, heldAt, cursors, isNewestLeftOut } = list;
  const api = useApi();
  const queries = useQueryClient();
  const held = heldAt === undefined ? undefined : heldQueries(filter, heldAt);
  const scope = ['delivery-pages', webhookId, JSON.stringify(filter)] as const;
  const keyOf = (cursor: string) => [...scope, heldAt ?? '', cursor];

  const newest = useQuery({
    queryKey: keyOf(''),
    queryFn: ({ signal }) => readPage(api, webhookId, held?.list ?? filter, undefined, signal),
    enabled: !isNewestLeftOut,
    // Starts with the pages that the list showed before it was held.
    placeholderData: keepPreviousData,
    meta: { live: true, webhookId },
  });
  const older = useQueries({
    queries: cursors.map((cursor) => ({
      queryKey: keyOf(cursor),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        readPage(api, webhookId, held?.list ?? filter, cursor, signal),
      meta: { live: hasOpen(queries.getQueryData<DeliveryPage>(keyOf(cursor))), webhookId },
    })),
  });
  const since = useQuery({
    queryKey: [...scope, 'since', heldAt ?? ''],
    queryFn: async ({ signal }) => {
      const page = await readPage(api, webhookId, held?.since ?? filter, undefined, signal);
      return { count: page.deliveries.length, atLeast: page.nextCursor !== null };
    },
    enabled: held?.since !== undefined,
    meta: { live: true, webhookId },
  });

  const shown = isNewestLeftOut ? older : [newest, ...older];
  const failed = shown.find(({ error, data }) => error !== null && data === undefined);
  const nextCursor = shown.at(-1)?.data?.nextCursor ?? null;
  const isLoadingMore = shown.slice(1).some(({ isPending }) => isPending);
  return {
    /** Undefined until the first page is loaded. */
    deliveries:
      shown[0]?.data === undefined ? undefined : unique(shown.flatMap(({ data }) => data?.deliveries ?? [])),
    nextCursor,
    hasMore: nextCursor !== null || isLoadingMore,
    isLoadingMore,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    since: since.data,
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

function hasOpen(page: DeliveryPage | undefined): boolean {
  return page === undefined || page.deliveries.some(({ state }) => !FINAL.has(state));
}

/** If deliveries no longer match the filter, a page overlaps the next one. */
function unique(deliveries: readonly ListedDelivery[]): readonly ListedDelivery[] {
  return [...new Map(deliveries.map((delivery) => [delivery.id, delivery])).values()];
}
