import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { pageHadSession } from '../page-settings.js';
import { useApi } from './api-context.js';
import { ApiError } from './api-error.js';
import { useAction } from './use-action.js';

/** The signed-in owner. */
export type OwnerSession = z.output<typeof sessionResponse>;

/** What an owner enters to sign in. */
interface SignInBody {
  readonly email: string;
  readonly password: string;
  readonly code?: string;
}

/** Key of the session's data. */
export const SESSION_KEY = ['session'] as const;

/** The session: `ended` if there was one when the page was loaded or since, null without one and after signing out. */
export function useSession() {
  const api = useApi();
  const queries = useQueryClient();
  return useQuery<OwnerSession | 'ended' | null>({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      try {
        return await api.read(sessionResponse, { path: '/session', signal });
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

/** Signs in. */
export function useSignIn(onDone: () => void) {
  const queries = useQueryClient();
  return useAction({
    act: (api, body: SignInBody) => api.read(sessionResponse, { method: 'POST', path: '/session', body }),
    onDone: (session) => {
      queries.setQueryData(SESSION_KEY, session);
      onDone();
    },
  });
}

/** Changes the password, and continues with a new session. */
export function useChangePassword(onDone: () => void) {
  const queries = useQueryClient();
  return useAction({
    act: (api, body: { readonly currentPassword: string; readonly newPassword: string }) =>
      api.read(sessionResponse, { method: 'PUT', path: '/password', body }),
    done: 'Password changed',
    onDone: (session) => {
      queries.setQueryData(SESSION_KEY, session);
      onDone();
    },
  });
}

/** Signs out. */
export function useSignOut() {
  const queries = useQueryClient();
  return useAction({
    act: (api) => api.send({ method: 'DELETE', path: '/session' }),
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
