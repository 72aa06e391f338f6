/** The queue between the gateway and the worker of the baseline. */
export const BASELINE_QUEUE = 'benchmark.baseline';

/** The message types from the gateway to the worker; the body is the id of a row, or the text of a new one. */
export const BASELINE_MESSAGES = { read: 'read', write: 'write' } as const;
