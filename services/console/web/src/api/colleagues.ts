import type { Role } from '@partner/proto-contracts/api/roles';
import { colleague, colleagueList } from '@partner/proto-contracts/resources/colleague/colleague';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';

const PATH = '/colleagues';

/** The people of the company. */
export function useColleagues() {
  return useApiQuery({ key: ['colleagues'], schema: colleagueList, path: PATH });
}

/** Invites a person. */
export function useAddColleague(onDone: () => void) {
  return useAction({
    act: (api, body: { readonly displayName: string; readonly email: string; readonly role: Role }) =>
      api.read(colleague, { method: 'POST', path: PATH, body }),
    done: 'Invitation sent',
    onDone,
  });
}

/** Changes the role of a person. */
export function useSetColleagueRole() {
  return useAction({
    act: (api, { id, role }: { readonly id: string; readonly role: Role }) =>
      api.read(colleague, { method: 'PATCH', path: `${PATH}/${encodeURIComponent(id)}`, body: { role } }),
    done: 'Role changed',
  });
}

/** Removes a person. */
export function useRemoveColleague(onDone: () => void) {
  return useAction({
    act: (api, id: string) => api.send({ method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}` }),
    done: 'Access removed',
    onDone,
  });
}

/** Resets the second factor of a person. */
export function useResetColleagueSecondFactor(onDone: () => void) {
  return useAction({
    act: (api, id: string) =>
      api.send({ method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}/second-factor` }),
    done: 'Two-factor authentication reset',
    onDone,
  });
}
