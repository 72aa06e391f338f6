/** The host name in the URLs of subscriptions to the example receiver. */
export const RECEIVER_HOST = 'receiver.partner.test';

/** The host name at which webhooks reach the console, for the test receivers of companies. */
export const CONSOLE_HOST = `console.${RECEIVER_HOST}`;

/** The host name in the URLs of subscriptions to a server of the developer; the example receiver's certificate is good for it. */
export const LISTENER_HOST = `listen.${RECEIVER_HOST}`;
