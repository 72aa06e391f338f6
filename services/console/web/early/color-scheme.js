// Runs before anything is shown, so that the page does not flash in the other color scheme. Without a choice it follows the system.
(() => {
  try {
    const kept = localStorage.getItem('partner-console-color-scheme');
    if (kept === 'light' || kept === 'dark') document.documentElement.setAttribute('data-color-scheme', kept);
  } catch {
    // The browser blocks storage for this page.
  }
})();
