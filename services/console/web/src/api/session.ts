import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import { pageHadSession } from '../page-settings.js';
import { useApi } from './api-context.js';
import { ApiError } from './api-error.js';
import { useAction } from './use-action.js';

/** The signed-in owner. */
export type OwnerSession = z.output<typeof sessionResponse>;

const SESSION_KEY = ['session'] as const;

/** The session; null without one. */
export function useSession() {
  const api = useApi();
  return useQuery<OwnerSession | null>({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }) => {
      try {
        return await api.read(sessionResponse, { path: '/session', signal });
      } catch (thrown) {
        if (thrown instanceof ApiError && thrown.status === 401) return null;
        throw thrown;
      }
    },
    staleTime: 60_000,
    // Without a session the request would only be refused.
    ...(pageHadSession() ? {} : { initialData: null }),
  });
}

/** Signs in. The form shows a failure itself. */
export function useSignIn(onDone: () => void) {
  const queries = useQueryClient();
  return useAction({
    act: (api, body: { readonly email: string; readonly password: string }) =>
      api.read(sessionResponse, { method: 'POST', path: '/session', body }),
    onDone: (session) => {
      queries.setQueryData(SESSION_KEY, session);
      onDone();
    },
    notifiesFailure: false,
  });
}

/** Signs out. */
export function useSignOut() {
  const queries = useQueryClient();
  return useAction({
    act: (api) => api.send({ method: 'DELETE', path: '/session' }),
    onDone: () => forgetSession(queries),
  });
}

/** Drops the session and all data that was loaded for it. */
export function forgetSession(queries: QueryClient): void {
  queries.setQueryData(SESSION_KEY, null);
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}
