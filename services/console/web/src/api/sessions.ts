import { sessionList } from '@partner/proto-contracts/resources/session/session';
import type { z } from 'zod';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';

/** A session of the signed-in owner. */
export type ListedSession = z.output<typeof sessionList>['sessions'][number];

/** The sessions of the signed-in owner. */
export function useSessions() {
  return useApiQuery({ key: ['sessions'], schema: sessionList, path: '/sessions' });
}

/** Ends another session of the owner. */
export function useEndSession() {
  return useAction({
    act: (api, id: string) => api.send({ method: 'DELETE', path: `/sessions/${encodeURIComponent(id)}` }),
    done: 'Session ended',
  });
}
