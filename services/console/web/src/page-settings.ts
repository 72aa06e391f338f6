/** Whether the browser had a session when it loaded the page. The session may have ended since. */
export const pageHadSession = () => setting('session') !== 'none';

/** Whether the service has a mail server. */
export const pageSendsMail = () => setting('mail') === 'sent';

/** The name of the identity provider with which people can sign in; empty without one. */
export const pageProviderName = () => setting('provider');

/** The console's environment: `sandbox` or `production`. */
export const pageEnvironment = () => setting('environment');

function setting(name: string): string {
  return document.querySelector(`meta[name="partner-${name}"]`)?.getAttribute('content') ?? '';
}
