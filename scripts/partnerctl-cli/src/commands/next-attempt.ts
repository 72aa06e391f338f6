export const nextAttempt = (path = '') => `next attempt: ${path}nextAttemptAt`;
