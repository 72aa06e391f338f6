import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { pageHadSession, pageProviderName } from '../page-settings.js';
import { type Output, useAction, useApi, useOperation } from './hooks.js';
import { ApiError } from './api-client.js';

/** The signed-in owner. */
export type OwnerSession = Output<'getSession'>;

/** Key of the session's data. */
const SESSION_KEY = ['session'] as const;

/** The session: `ended` if there was one when the page was loaded or since, null without one and after signing out. */
export function useSession() {
  const api = useApi();
  const queries = useQueryClient();
  return useQuery<OwnerSession | 'ended' | null>({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      try {
        return await api.call('getSession', {}, signal);
      } catch (thrown) {
        if (thrown instanceof ApiError && thrown.status === 401) return endedUnlessNone(queries);
        throw thrown;
      }
    },
    staleTime: 60_000,
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

/** Where the browser's tab remembers the page that a sign-in should open. */
const WANTED_PAGE = 'partner-console-wanted-page';

/** The page that the last sign-in of this tab should open; null without one. The provider's refusal does not name it. */
export function wantedPage(): string | null {
  return window.sessionStorage.getItem(WANTED_PAGE);
}

/** Starts a sign-in that ends at a page, and leaves the console for the identity provider. */
export function useBeginProviderSignIn() {
  const beginning = useAction('beginProviderSignIn', {
    onDone: ({ authorizationUrl }) => window.location.assign(authorizationUrl),
  });
  const begin = (returnTo: string) => {
    window.sessionStorage.setItem(WANTED_PAGE, returnTo);
    // As the API accepts it: escaped.
    const { pathname, search } = new URL(returnTo, window.location.origin);
    beginning.run({ body: { returnTo: `${pathname}${search}` } });
  };
  return { ...beginning, begin };
}

const CHANNEL = 'partner-session-confirmed';

/** Announces to the other pages of this browser that the session was confirmed. */
export function announceConfirmed(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Calls `listen` when another page has confirmed the session. Returns a function that stops it. */
export function onConfirmed(listen: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listen);
  return () => channel.close();
}
