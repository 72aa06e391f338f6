/** The host name in the URLs of subscriptions to the example receiver. */
export const RECEIVER_HOST = 'receiver.partner.test';

/** The host name in the URLs of subscriptions to a server of the developer; the example receiver's certificate is good for it. */
export const LISTENER_HOST = `listen.${RECEIVER_HOST}`;
