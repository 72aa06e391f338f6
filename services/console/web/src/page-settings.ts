/** The nonce that this page's styles must carry; the console sets it in the page. */
export function pageNonce(): string {
  const element = document.querySelector('meta[property="csp-nonce"]');
  return element instanceof HTMLElement ? element.nonce : '';
}

/** Whether the browser had a session when it loaded the page. The session may have ended since. */
export function pageHadSession(): boolean {
  return document.querySelector('meta[name="partner-session"]')?.getAttribute('content') !== 'none';
}

/** Whether the service has a mail server. */
export function pageSendsMail(): boolean {
  return document.querySelector('meta[name="partner-mail"]')?.getAttribute('content') === 'sent';
}

/** The name of the identity provider with which people can sign in; empty without one. */
export function pageProviderName(): string {
  return document.querySelector('meta[name="partner-provider"]')?.getAttribute('content') ?? '';
}

/** The console's environment: `sandbox` or `production`. */
export function pageEnvironment(): string {
  return document.querySelector('meta[name="partner-environment"]')?.getAttribute('content') ?? '';
}
