import { IconCloudOff } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useNavigation } from 'react-router';
import { isFailure, useLostAt } from '../api/connection.js';
import { useApi } from '../api/hooks.js';
import { isConcerned } from '../api/live-changes.js';
import { formatClock } from '../format.js';
import classes from './connection.module.css';
import { Button } from './ui.js';

const PROBE = ['connection'];
const PROBE_MS = 3_000;
/** Longer than a response takes on a slow line. With the above and the console's cache, a failure shows within 10 seconds. */
const PROBE_TIMEOUT_MS = 3_000;

/**
 * Asks whether the service responds, every few seconds while the page is visible. The request needs no session and does not prolong one.
 * Once it succeeds again, everything is reloaded.
 */
export function useProbe(): void {
  const api = useApi();
  const queries = useQueryClient();
  const wasLost = useRef(false);
  const isLost = useLostAt() !== undefined;
  const { isError, dataUpdatedAt } = useQuery({
    queryKey: PROBE,
    queryFn: ({ signal }) =>
      api.call('getServiceStatus', {}, AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)])),
    initialData: null,
    initialDataUpdatedAt: performance.timeOrigin,
    refetchInterval: PROBE_MS,
    refetchOnReconnect: 'always',
    retry: false,
  });
  useEffect(() => {
    document.documentElement.toggleAttribute('data-lost', isLost);
    if (wasLost.current && !isError) {
      void queries.invalidateQueries(
        { predicate: ({ meta, state }) => isConcerned(meta, []) || isFailure(state.error) },
        { cancelRefetch: false },
      );
    }
    wasLost.current = isLost;
  }, [isLost, isError, dataUpdatedAt, queries]);
}

/** Says since when the page is old, above its content, and shows a line while another page loads. */
export function ConnectionBar() {
  const queries = useQueryClient();
  const lostAt = useLostAt();
  const since = lostAt !== undefined && formatClock(new Date(lostAt));
  return (
    <>
      {useNavigation().state !== 'idle' && <div className={classes['progress']} />}
      <section className={classes['bar']} aria-label="Connection" hidden={since === false}>
        <IconCloudOff size={18} aria-hidden />
        <span role="status">
          {since !== false && (
            <>
              <strong>{`No connection since ${since}.`}</strong> What you see is from then. We cannot tell
              what has happened since.
            </>
          )}
        </span>
        <Button variant="default" size="xs" onClick={() => void queries.refetchQueries({ queryKey: PROBE })}>
          Check now
        </Button>
      </section>
    </>
  );
}
