import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { pageHadSession, pageProviderName } from '../page-settings.js';
import { type Output, useAction, useApi, useOperation } from './hooks.js';
import { ApiError } from './api-client.js';

/** The signed-in owner. */
export type OwnerSession = Output<'getSession'>;

/** Key of the session's data. */
const SESSION_KEY = ['session'] as const;

/** How soon a session that could not be loaded is loaded again. */
const FAILED_MS = 3_000;
/** After this time a page that has nothing to show yet offers to retry. */
const TIMEOUT_MS = 4_500;

/** The session: `ended` if there was one when the page was loaded or since, null without one and after signing out. */
export function useSession() {
  const api = useApi();
  const queries = useQueryClient();
  return useQuery<OwnerSession | 'ended' | null>({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      try {
        return await api.call('getSession', {}, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
      } catch (thrown) {
        if (thrown instanceof ApiError && thrown.status === 401) return endedUnlessNone(queries);
        throw thrown;
      }
    },
    staleTime: 60_000,
    retry: false,
    // Without it there is no page that could offer to retry.
    refetchInterval: ({ state }) => state.status === 'error' && FAILED_MS,
    // Without a session the request would only be refused.
    ...(pageHadSession() ? {} : { initialData: null }),
  });
}

/** Returns a function that continues with a new session. */
export function useNewSession() {
  const queries = useQueryClient();
  return (session: OwnerSession) => queries.setQueryData(SESSION_KEY, session);
}

/** Signs out. */
export function useSignOut() {
  const queries = useQueryClient();
  return useAction('deleteSession', {
    onDone: () => forgetSession(queries, null),
    toastsFailure: true,
  });
}

/** Reacts to the end of the session. */
export function endSession(queries: QueryClient): void {
  forgetSession(queries, endedUnlessNone(queries));
}

/** Whether the session has ended, other than by signing out. */
export function hasSessionEnded(queries: QueryClient): boolean {
  return queries.getQueryData(SESSION_KEY) === 'ended';
}

function endedUnlessNone(queries: QueryClient): 'ended' | null {
  return queries.getQueryData(SESSION_KEY) === null ? null : 'ended';
}

/** Drops the session and all data that was loaded for it. */
function forgetSession(queries: QueryClient, instead: 'ended' | null): void {
  queries.setQueryData(SESSION_KEY, instead);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

/** How the owner can sign in; not loaded where the password is the only way. */
export const useSignInMethods = () =>
  useOperation('getSignInMethods', {}, { enabled: pageProviderName() !== '' });

const CHANNEL = 'partner-session-confirmed';

/** Calls `listen` when another page has confirmed the session. Returns a function that stops it. */
export function onConfirmed(listen: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listen);
  return () => channel.close();
}
