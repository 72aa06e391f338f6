// Runs before anything is shown, so that the page does not flash in the other colour scheme.
(() => {
  let kept = null;
  try {
    kept = localStorage.getItem('partner-console-color-scheme');
  } catch {
    // The browser blocks storage for this page.
  }
  const isDark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
