import {
  providerRedirect,
  providerSignedIn,
  signInMethods,
} from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { useQueryClient } from '@tanstack/react-query';
import { pageProviderName } from '../page-settings.js';
import { SESSION_KEY } from './session.js';
import { useAction } from './use-action.js';
import { useApiQuery } from './use-api-query.js';

const SIGN_IN = '/session/provider';
const CONFIRM = '/session/confirm/provider';

/** How the owner can sign in; not loaded where the password is the only way. */
export function useSignInMethods() {
  return useApiQuery({
    key: ['sign-in-methods'],
    schema: signInMethods,
    path: '/sign-in-methods',
    enabled: pageProviderName() !== '',
  });
}

/** Where the browser's tab remembers the page that a sign-in should open. */
const WANTED_PAGE = 'partner-console-wanted-page';

/** The page that the last sign-in of this tab should open; null without one. The provider's refusal does not name it. */
export function wantedPage(): string | null {
  return window.sessionStorage.getItem(WANTED_PAGE);
}

/** Starts a sign-in, and leaves the console for the identity provider. */
export function useBeginProviderSignIn() {
  return useAction({
    act: (api, returnTo: string) => {
      window.sessionStorage.setItem(WANTED_PAGE, returnTo);
      // As the API accepts it: escaped.
      const { pathname, search } = new URL(returnTo, window.location.origin);
      const body = { returnTo: `${pathname}${search}` };
      return api.read(providerRedirect, { method: 'POST', path: SIGN_IN, body });
    },
    onDone: ({ authorizationUrl }) => window.location.assign(authorizationUrl),
  });
}

/** Completes a sign-in. */
export function useCompleteProviderSignIn(onDone: (returnTo: string | null) => void) {
  const queries = useQueryClient();
  return useAction({
    act: (api, body: { readonly query: string; readonly code?: string }) =>
      api.read(providerSignedIn, { method: 'POST', path: `${SIGN_IN}/complete`, body }),
    onDone: ({ session, returnTo }) => {
      queries.setQueryData(SESSION_KEY, session);
      onDone(returnTo);
    },
  });
}

/** Starts the confirmation of the session. */
export function useBeginProviderConfirmation(onDone: (authorizationUrl: string) => void) {
  return useAction({
    act: (api, _input: undefined) => api.read(providerRedirect, { method: 'POST', path: CONFIRM }),
    onDone: ({ authorizationUrl }) => onDone(authorizationUrl),
  });
}

/** Completes the confirmation of the session. */
export function useCompleteProviderConfirmation(onDone: () => void) {
  return useAction({
    act: (api, query: string) =>
      api.read(sessionResponse, { method: 'POST', path: `${CONFIRM}/complete`, body: { query } }),
    onDone,
  });
}
