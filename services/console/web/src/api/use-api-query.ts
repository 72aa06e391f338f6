import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { useApi } from './api-context.js';

/** Loads one response of the API and reloads it after changes. Set `isLive: false` for data that never changes. */
export function useApiQuery<Data>(options: {
  readonly key: readonly unknown[];
  readonly schema: z.ZodType<Data>;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The subscription that the data is about, if any. */
  readonly webhookId?: string | undefined;
  readonly enabled?: boolean;
  readonly isLive?: boolean;
  /** For sums over many deliveries: reloaded every 30 seconds, not with each change. */
  readonly isSum?: boolean;
  /** Shows the previous query's response until this one is loaded. */
  readonly keepsPrevious?: boolean;
}) {
  const api = useApi();
  const { isLive = true, isSum = false } = options;
  return useQuery({
    queryKey: [...options.key, options.query ?? {}],
    queryFn: ({ signal }) =>
      api.read(options.schema, {
        path: options.path,
        signal,
        ...(options.query === undefined ? {} : { query: options.query }),
      }),
    enabled: options.enabled ?? true,
    ...(isLive ? {} : { staleTime: Number.POSITIVE_INFINITY }),
    ...(options.keepsPrevious === true ? { placeholderData: keepPreviousData } : {}),
    meta: {
      live: isLive,
      isSum,
      ...(options.webhookId === undefined ? {} : { webhookId: options.webhookId }),
    },
  });
}
