import type { QueryClient } from '@tanstack/react-query';

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

/** Reloads live data about these subscriptions or about no single one; none named: all of it. */
export async function invalidateLive(queries: QueryClient, webhookIds: readonly string[]): Promise<void> {
  await queries.invalidateQueries({ predicate: ({ meta }) => isConcerned(meta, webhookIds) });
}
