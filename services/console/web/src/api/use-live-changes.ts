import { useDocumentVisibility, useIdle, useInterval } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { listenForChanges } from './live-changes.js';
import { invalidateLive } from './live-queries.js';

/** Change events can be lost, so the page also polls. */
const POLL_MS = 30_000;

/**
 * Idle time after which the page stops polling. It is well below the session's idle timeout of 30 minutes, because polling keeps a
 * session alive.
 */
const IDLE_MS = 10 * 60_000;

/**
 * Keeps the data of a visible page up to date: by the stream of changes, and by polling every 30 seconds.
 */
export function useLiveChanges(): void {
  const queries = useQueryClient();
  const isIdle = useIdle(IDLE_MS, { initialState: false });
  const isWatched = useDocumentVisibility() === 'visible' && !isIdle;
  const { start, stop } = useInterval(() => void invalidateLive(queries, []), POLL_MS);
  const wasUnwatched = useRef(false);

  useEffect(() => {
    if (!isWatched) {
      wasUnwatched.current = true;
      return undefined;
    }
    if (wasUnwatched.current) void invalidateLive(queries, []);
    start();
    const end = listenForChanges({
      open: () => new EventSource('/partner-api/changes'),
      onChange: (webhookIds) => void invalidateLive(queries, webhookIds),
      later: (work, ms) => {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    });
    return () => {
      end();
      stop();
    };
  }, [isWatched, queries, start, stop]);
}
