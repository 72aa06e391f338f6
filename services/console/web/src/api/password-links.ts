import { useAction } from './use-action.js';

/** Requests a link for an email address. */
export function useRequestPasswordLink() {
  return useAction({
    act: async (api, email: string) => {
      await api.send({ method: 'POST', path: '/password/links', body: { email } });
      return true;
    },
  });
}

/** Sets a password with the token of a mailed link. */
export function useUsePasswordLink() {
  return useAction({
    act: async (api, body: { readonly token: string; readonly newPassword: string }) => {
      await api.send({ method: 'POST', path: '/password/links/use', body });
      return true;
    },
  });
}
