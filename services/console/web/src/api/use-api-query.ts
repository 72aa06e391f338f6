import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { z } from 'zod';
import { useApi } from './api-context.js';

/** One response of the API, loaded again when something changes. Give `isLive: false` for one that never does. */
export function useApiQuery<Answer>(question: {
  readonly key: readonly unknown[];
  readonly schema: z.ZodType<Answer>;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** The subscription that it is about, if it is one. */
  readonly webhookId?: string | undefined;
  readonly enabled?: boolean;
  readonly isLive?: boolean;
  /** For sums over many deliveries: loaded again every 30 seconds, not with each change. */
  readonly isSum?: boolean;
  /** Shows the response of the question before until this one has its own. */
  readonly keepsPrevious?: boolean;
}) {
  const api = useApi();
  const { isLive = true, isSum = false } = question;
  return useQuery({
    queryKey: [...question.key, question.query ?? {}],
    queryFn: ({ signal }) =>
      api.read(question.schema, {
        path: question.path,
        signal,
        ...(question.query === undefined ? {} : { query: question.query }),
      }),
    enabled: question.enabled ?? true,
    ...(isLive ? {} : { staleTime: Number.POSITIVE_INFINITY }),
    ...(question.keepsPrevious === true ? { placeholderData: keepPreviousData } : {}),
    meta: {
      live: isLive,
      isSum,
      ...(question.webhookId === undefined ? {} : { webhookId: question.webhookId }),
    },
  });
}
