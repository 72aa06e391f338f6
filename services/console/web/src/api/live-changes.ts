import type { QueryClient } from '@tanstack/react-query';
import { z } from 'zod';

const change = z.object({ webhookIds: z.array(z.string()) });

/** The part of an `EventSource` that is used. */
export interface ChangeSource {
  addEventListener(type: string, listen: (event: { readonly data?: unknown }) => void): void;
  close(): void;
}

/** Returns the subscriptions in a `changed` event; empty if it names none or is malformed. */
export function webhookIdsOf(data: unknown): readonly string[] {
  try {
    const parsed = change.safeParse(typeof data === 'string' ? JSON.parse(data) : undefined);
    return parsed.success ? parsed.data.webhookIds : [];
  } catch {
    return [];
  }
}

/** First and longest backoff before the stream is reopened. */
const WAITS_MS = { first: 2_000, longest: 60_000 } as const;

/**
 * Listens for live changes. It reopens a stream that ends or fails, with a growing backoff after consecutive failures. When a stream
 * is open again, it calls `onChange` without ids, because changes may have been missed. Returns a function that stops it.
 */
export function listenForChanges(deps: {
  readonly open: () => ChangeSource;
  readonly onChange: (webhookIds: readonly string[]) => void;
  readonly later: (work: () => void, ms: number) => () => void;
}): () => void {
  let source: ChangeSource | undefined;
  let cancel: () => void = () => undefined;
  let failures = 0;
  let wasInterrupted = false;
  let isOver = false;

  function connect(): void {
    const opened = deps.open();
    source = opened;
    opened.addEventListener('open', () => {
      failures = 0;
      if (wasInterrupted) deps.onChange([]);
      wasInterrupted = false;
    });
    opened.addEventListener('changed', ({ data }) => deps.onChange(webhookIdsOf(data)));
    // The browser's own reconnection stops after a response such as 429.
    opened.addEventListener('error', () => {
      opened.close();
      if (isOver || source !== opened) return;
      source = undefined;
      wasInterrupted = true;
      cancel = deps.later(connect, Math.min(WAITS_MS.first * 2 ** failures, WAITS_MS.longest));
      failures += 1;
    });
  }

  connect();
  return () => {
    isOver = true;
    cancel();
    source?.close();
  };
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

/** Reloads live data about these subscriptions or about no single one; none named: all of it. */
export async function invalidateLive(queries: QueryClient, webhookIds: readonly string[]): Promise<void> {
  await queries.invalidateQueries({ predicate: ({ meta }) => isConcerned(meta, webhookIds) });
}
