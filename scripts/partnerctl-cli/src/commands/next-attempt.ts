/** The column of when the next attempt is due, of a delivery or a subscription at this path of the document. */
export const nextAttempt = (path = '') => `next attempt: ${path}nextAttemptAt`;
