import { delay } from './delay.js';
import { forwardEvent } from './forward-event.js';
import type { EventPage } from './follow-feed.js';
import type { PartnerClient } from './partner-client.js';
import { ApiError, PartnerError } from './partner-error.js';

/** Where the events of a company are. */
type EventsPath = '/inbound/events' | '/partner/v1/events';

export interface ListenOptions {
  readonly client: PartnerClient;
  /** Where it begins, unless `since` or `replay` is there. */
  readonly end: EventsEnd;
  readonly forward: URL;
  /** Signs what is forwarded, `whsec_…`. */
  readonly secret: string;
  /** A name or a group of events, such as `install.*`. */
  readonly event?: string | undefined;
  /** Events that occurred at this time or later, before those to come. */
  readonly since?: Date | undefined;
  /** Only the events with these ids, once. */
  readonly replay?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** Milliseconds between polls, and up to a tenth more. */
const POLL_MS = 5_000;
/** Counts a request among those of listeners, which together have a third of the company's. */
const AS_LISTENER = { 'x-svc-listen': 'true' } as const;

/** The end of the events that a key can read. */
export interface EventsEnd {
  readonly path: EventsPath;
  readonly cursor: string;
}

/**
 * Returns the present end of the events of the client's key: those of an installing or of a selling company. Waits while the service
 * cannot be read, or other listeners take the requests; undefined if `signal` is aborted.
 */
export async function endOfEvents(
  client: PartnerClient,
  { signal, print }: Pick<ListenOptions, 'signal' | 'print'>,
): Promise<EventsEnd | undefined> {
  const read = async (path: EventsPath): Promise<EventsEnd> => {
    const query = { from: 'end' } as const;
    const page: EventPage = await client.GET(path, { params: { query }, headers: AS_LISTENER, signal });
    return { path, cursor: page.nextCursor };
  };
  const readEither = () =>
    read('/partner/v1/events').catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return read('/inbound/events');
      throw error;
    });
  while (!signal.aborted) {
    const end = await unlessItPasses(readEither, { signal, print });
    if (end !== undefined) return end;
    await pause(signal);
  }
  return undefined;
}

/**
 * Reads the events of a company and POSTs each to a server as a webhook is sent, once and in order, until `signal` is aborted; with
 * `replay`, until the events with these ids have been sent. Prints the outcome of each. Resolves to whether every event was accepted and
 * found. A failure of the service that can pass is printed, and the listener goes on.
 */
export async function listen(options: ListenOptions): Promise<boolean> {
  const { signal, print, since } = options;
  const replayed = new Set(options.replay);
  const isReplay = replayed.size > 0;
  let isFine = true;
  let cursor = isReplay || since !== undefined ? undefined : options.end.cursor;
  const isOver = () => signal.aborted;
  while (!isOver()) {
    const page = await readPage(options, cursor);
    for (const event of page?.events ?? []) {
      if (isOver()) break;
      const id = event.headers['webhook-id'];
      if (isReplay ? !replayed.delete(id) : isBefore(event.body, since)) continue;
      const { isDelivered, outcome, durationMs } = await forwardEvent(options.forward, event, options.secret);
      isFine &&= isDelivered;
      print(
        `${new Date().toISOString()} ${event.headers['x-svc-event']} ${id} -> ${outcome} (${durationMs} ms)`,
      );
    }
    cursor = page?.nextCursor ?? cursor;
    if (page?.hasMore === true && !(isReplay && replayed.size === 0)) continue;
    if (isReplay && page !== undefined) break;
    await pause(signal);
  }
  for (const id of signal.aborted ? [] : replayed) print(`${id}: no such event among those that are kept`);
  return isFine && replayed.size === 0;
}

async function readPage(
  { client, end, event, signal, print }: ListenOptions,
  cursor: string | undefined,
): Promise<EventPage | undefined> {
  const query = {
    ...(cursor !== undefined && { cursor }),
    ...{ limit: 100, ...(event !== undefined && { event }) },
  };
  const read = async (): Promise<EventPage> =>
    client.GET(end.path, { params: { query }, headers: AS_LISTENER, signal });
  return unlessItPasses(read, { signal, print });
}

/** Undefined if the service cannot be read now, but may be later, or if the listener ends. */
async function unlessItPasses<T>(
  read: () => Promise<T>,
  { signal, print }: Pick<ListenOptions, 'signal' | 'print'>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof PartnerError) || !error.retryable) throw error;
    print(`waiting for the service: ${error.message}`);
    return undefined;
  }
}

/** Listeners that have started together do not stay together. */
async function pause(signal: AbortSignal): Promise<void> {
  await delay(POLL_MS * (1 + Math.random() / 10), signal).catch(() => undefined);
}

function isBefore(body: string, since: Date | undefined): boolean {
  if (since === undefined) return false;
  const envelope: unknown = JSON.parse(body);
  const occurredAt =
    typeof envelope === 'object' && envelope !== null && 'occurredAt' in envelope ? envelope.occurredAt : '';
  return Date.parse(String(occurredAt)) < since.getTime();
}
