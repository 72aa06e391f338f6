/** The nonce that styles of this page must carry; the console gives it with the page. */
export function pageNonce(): string {
  const element = document.querySelector('meta[property="csp-nonce"]');
  return element instanceof HTMLElement ? element.nonce : '';
}

/** Whether the browser had a session when it loaded the page; it may have ended all the same. */
export function pageHadSession(): boolean {
  return document.querySelector('meta[name="partner-session"]')?.getAttribute('content') !== 'none';
}

/** What the console calls its environment: `sandbox` or `production`. */
export function pageEnvironment(): string {
  return document.querySelector('meta[name="partner-environment"]')?.getAttribute('content') ?? '';
}
