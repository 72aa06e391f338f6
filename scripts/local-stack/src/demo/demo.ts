import { webhookEnvelope } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { eventually } from '@partner/test-kit/eventually';
import { readReceived } from '../receiver/read-received.js';
import { bytesOf, type ReceivedRequest } from '../receiver/received-request.js';
import type { StackDescription } from '../stack/stack-description.js';
import type { Narrator } from './narrator.js';

/** What every part of the demo uses. */
export interface Demo {
  readonly description: StackDescription;
  /** The stack's backoff before a first retry. */
  readonly retryBaseMs: number;
  readonly signal: AbortSignal;
  /** Different in each run, so that the demo can run again on the same stack. */
  readonly run: string;
  readonly show: Narrator;
  readonly watcher: ReturnType<typeof createWatcher>;
}

/** Waits for requests in the log of the example receiver. */
export function createWatcher(logFile: string, signal: AbortSignal) {
  const received = (path: string, what: string, isIt: (request: ReceivedRequest) => boolean) =>
    eventually(`the receiver gets ${what}`, async () => (await readReceived(logFile, path)).find(isIt), {
      everyMs: 100,
      signal,
    });
  return {
    received,
    /** The delivery of an event, for the resource if given. */
    event: (path: string, event: string, resourceId?: string) =>
      received(
        path,
        event,
        (request) =>
          request.headers['x-svc-event'] === event &&
          (resourceId === undefined || webhookEnvelope.parse(bodyOf(request)).resource.id === resourceId),
      ),
  };
}

/** The headers of a delivery. */
export function headersOf({ headers }: ReceivedRequest): Readonly<Record<string, string>> {
  const shown = Object.entries(headers).filter(([name]) =>
    /^(x-svc-|webhook-|content-type|traceparent)/.test(name),
  );
  return Object.fromEntries(shown);
}

/** The body of a delivery. */
export function bodyOf(request: ReceivedRequest): unknown {
  return JSON.parse(bytesOf(request).toString('utf8'));
}
