import { AsyncLocalStorage } from 'node:async_hooks';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';

/** Message header with the id of the request that caused the message. */
const REQUEST_ID_HEADER = 'x-request-id';

const requestIds = new AsyncLocalStorage<string | undefined>();

/**
 * Runs work on behalf of one request. Its log lines, spans and messages carry the request's id, across awaits too.
 * Undefined runs it outside of any request, even if the caller is in one.
 */
export function runWithRequestId<T>(requestId: string | undefined, work: () => T): T {
  return requestIds.run(requestId, work);
}

/** Runs work outside of any request and trace. Use it for work that several requests share and one of them starts. */
export function runForNoRequest<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, () => runWithRequestId(undefined, work));
}

export function currentRequestId(): string | undefined {
  return requestIds.getStore();
}

export function requestIdHeaders(): Readonly<Record<string, string>> {
  const requestId = currentRequestId();
  return requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId };
}

export function requestIdIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const requestId = headers[REQUEST_ID_HEADER];
  return typeof requestId === 'string' && isRequestId(requestId) ? requestId : undefined;
}

export function isRequestId(text: string): boolean {
  return /^[A-Za-z0-9._:-]{1,128}$/.test(text);
}
