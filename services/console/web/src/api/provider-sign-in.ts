import { pageProviderName } from '../page-settings.js';
import { useAction, useOperation } from './hooks.js';

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
