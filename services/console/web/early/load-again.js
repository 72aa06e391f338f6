// During a rollout the page can come from one version and its file from another, which lacks that file. The page then reloads, a few
// times at most, until everything comes from one version. While the console does not respond at all, the page stays as it is.
(() => {
  const KEY = 'partner-console-loaded-again';
  const TIMES = 5;
  const WITHIN_MS = 60_000;
  const PAUSE_MS = 500;
  const PROBE_MS = 3_000;
  const SLOW_MS = 4_000;
  let waitingFor;

  // A reload would replace the page by the browser's or a proxy's error.
  const isThere = () =>
    fetch(location.href, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );

  const loadAgain = async () => {
    const { href } = location;
    if (waitingFor === href) return;
    waitingFor = href;
    while (!(await isThere())) {
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
      // Unless the reader has left the page that lacks a file.
      if (location.href === href) continue;
      waitingFor = undefined;
      return;
    }
    let before;
    try {
      const now = Date.now();
      const kept = sessionStorage.getItem(KEY) ?? '';
      before = kept.split(' ').filter((at) => Number(at) > now - WITHIN_MS);
      if (before.length >= TIMES) return;
      sessionStorage.setItem(KEY, [...before, now].join(' '));
    } catch {
      // Without storage the reloads cannot be counted, so the reader has to reload.
      return;
    }
    setTimeout(() => location.reload(), PAUSE_MS * before.length);
  };

  addEventListener(
    'error',
    ({ target }) => {
      const isFile =
        target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel !== 'icon');
      if (isFile) void loadAgain();
    },
    true,
  );
  // A page or a part that was to be loaded when it was needed. Only the page that then says so has the final address.
  let lacksFile = false;
  addEventListener('vite:preloadError', () => {
    lacksFile = true;
  });
  addEventListener('page-failed', () => lacksFile && void loadAgain());
  // The button of a page that has failed to load.
  addEventListener('retry-page', () => {
    void isThere().then((there) => there && location.reload());
  });

  setTimeout(() => {
    const starting = document.querySelector('.starting');
    if (starting === null) return;
    const retry = document.createElement('button');
    retry.textContent = 'Retry';
    retry.addEventListener('click', () => dispatchEvent(new Event('retry-page')));
    starting.replaceChildren('The console takes long to load. ', retry);
  }, SLOW_MS);
})();
