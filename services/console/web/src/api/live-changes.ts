import { z } from 'zod';

const change = z.object({ webhookIds: z.array(z.string()) });

/** The part of an `EventSource` that is used. */
export interface ChangeSource {
  addEventListener(type: string, listen: (event: { readonly data?: unknown }) => void): void;
  close(): void;
}

/** The subscriptions that a `changed` event names; none when it names none or cannot be read. */
export function webhookIdsOf(data: unknown): readonly string[] {
  try {
    const parsed = change.safeParse(typeof data === 'string' ? JSON.parse(data) : undefined);
    return parsed.success ? parsed.data.webhookIds : [];
  } catch {
    return [];
  }
}

/** The first wait before the stream is opened again, and the longest. */
const WAITS_MS = { first: 2_000, longest: 60_000 } as const;

/**
 * Listens for live changes and keeps at it: a stream that ends or fails is opened again, after failures in a row with longer and
 * longer waits. `onChange` is also called, with no ids, when a stream stands again, since something may have been missed.
 * Gives what ends it.
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
    // The browser's own way of trying again gives up at a response such as 429.
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
