import type { QueryClient } from '@tanstack/react-query';

/**
 * Whether data are to be loaded again after a change of these subscriptions; none named: of anything. Sums (`isSum`) cost more
 * and are shown of many subscriptions side by side: they wait until everything is looked at again.
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

/** Has the live data loaded again that are about these subscriptions or about no single one; none named: all of them. */
export async function invalidateLive(queries: QueryClient, webhookIds: readonly string[]): Promise<void> {
  await queries.invalidateQueries({ predicate: ({ meta }) => isConcerned(meta, webhookIds) });
}
