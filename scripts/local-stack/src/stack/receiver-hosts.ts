/** The host name in the URLs of subscriptions to the example receiver. */
export const RECEIVER_HOST = 'receiver.partner.test';

/** The host name in the URLs of subscriptions to `partnerctl listen`; the example receiver's certificate is good for it. */
export const LISTENER_HOST = `listen.${RECEIVER_HOST}`;

/** The same for further ones that run concurrently. */
export const MORE_LISTENER_HOSTS = [2, 3, 4].map((number) => `listen-${number}.${RECEIVER_HOST}`);
