import { useDocumentVisibility, useIdle, useInterval } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { listenForChanges } from './live-changes.js';
import { invalidateLive } from './live-queries.js';

/** Changes may get lost on their way, so the page looks by itself as well. */
const LOOK_AGAIN_MS = 30_000;

/**
 * How long someone may do nothing before the page stops asking: well below the 30 minutes after which a session ends, which
 * it would keep alive otherwise.
 */
const IDLE_MS = 10 * 60_000;

/**
 * Keeps what the page shows up to date while someone looks at it: by the stream of changes, and by looking again every 30
 * seconds.
 */
export function useLiveChanges(): void {
  const queries = useQueryClient();
  const isIdle = useIdle(IDLE_MS, { initialState: false });
  const isWatched = useDocumentVisibility() === 'visible' && !isIdle;
  const { start, stop } = useInterval(() => void invalidateLive(queries, []), LOOK_AGAIN_MS);
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
