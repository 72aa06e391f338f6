import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { z } from 'zod/mini';

const linkState = z.catch(
  z.object({ linkToken: z.optional(z.string()), providerResponse: z.optional(z.string()) }),
  {},
);

/**
 * Returns the token of a mailed link. `early/link-secrets.js` has moved it out of the address bar; for a link that is followed within
 * the running app, this does.
 */
export function useLinkToken(): string {
  const location = useLocation();
  const navigate = useNavigate();
  const { pathname } = location;
  const given = location.hash.slice(1);
  useEffect(() => {
    if (given !== '') void navigate(pathname, { replace: true, state: { linkToken: given } });
  }, [given, navigate, pathname]);
  return given === '' ? (linkState.parse(location.state).linkToken ?? '') : given;
}

/** Returns the query with which an identity provider has returned, moved likewise; empty after its use. */
export function useProviderResponse(): string {
  const location = useLocation();
  return linkState.parse(location.state).providerResponse ?? location.search.slice(1);
}
