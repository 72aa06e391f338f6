// Runs before the app, so before it requests anything: the token of a mailed link and the response of an identity provider leave the address bar.
// They move to the state of the history entry, which is in no address, log or referrer, and which a reload keeps.
(() => {
  const { pathname, search, hash } = location;
  const isMailed =
    /\/console\/(?:set-password|technical-contact\/confirm)$/.test(pathname) && hash.length > 1;
  const isResponse = pathname.endsWith('/console/sign-in/callback') && search.length > 1;
  if (!isMailed && !isResponse) return;
  // `usr` is what the router shows as the state of its location.
  const usr = isMailed ? { linkToken: hash.slice(1) } : { providerResponse: search.slice(1) };
  history.replaceState({ ...history.state, usr }, '', pathname);
})();
