import { AsyncLocalStorage } from 'node:async_hooks';

/** Message header that carries the id of the request that a message comes from. */
const REQUEST_ID_HEADER = 'x-request-id';

const requestIds = new AsyncLocalStorage<string | undefined>();

/**
 * Runs work on behalf of one request: its log lines, spans and messages have the request's id, in whatever it awaits too.
 * With undefined it runs on behalf of none, whatever it was started from.
 */
export function runWithRequestId<T>(requestId: string | undefined, work: () => T): T {
  return requestIds.run(requestId, work);
}

/** The id of the request on whose behalf the present work runs; undefined when there is none. */
export function currentRequestId(): string | undefined {
  return requestIds.getStore();
}

/** The headers that continue the present request elsewhere; empty when there is none. */
export function requestIdHeaders(): Readonly<Record<string, string>> {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId };
}

/** The request that a message comes from, by its headers; undefined when they name none in the right form. */
export function requestIdIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const requestId = headers[REQUEST_ID_HEADER];
  return typeof requestId === 'string' && isRequestId(requestId) ? requestId : undefined;
}

/** Whether a text has the form of a request id. */
export function isRequestId(text: string): boolean {
  return /^[A-Za-z0-9._:-]{1,128}$/.test(text);
}
