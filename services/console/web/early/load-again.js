// While one version of the console takes another's place, the page can be of the one and a file of it be asked of the other, which has
// none of that name. The page is loaded again then, a few times at most, until all of it comes from one version.
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
      // Where nothing can be kept, nobody counts how often: it is left to the person.
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
