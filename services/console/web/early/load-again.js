// During a rollout the page can come from one version and its file from another, which lacks that file. The page then reloads, a few
// times at most, until everything comes from one version.
(() => {
  const KEY = 'partner-console-loaded-again';
  const TIMES = 5;
  const WITHIN_MS = 60_000;
  const PAUSE_MS = 500;
  let isToLoad = false;

  const loadAgain = () => {
    if (isToLoad) return;
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
    isToLoad = true;
    setTimeout(() => location.reload(), PAUSE_MS * before.length);
  };

  addEventListener(
    'error',
    ({ target }) => {
      const isFile =
        target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel !== 'icon');
      if (isFile) loadAgain();
    },
    true,
  );
  // A page or a part that was to be loaded when it was needed.
  addEventListener('vite:preloadError', loadAgain);
})();
