import { delay } from './delay.js';
import type { components } from './gen/schema.js';
import type { PartnerClient } from './partner-client.js';
import type { Store } from './store.js';

/**
 * A page of the change feed: `unassigned`, the jobs that have left your company, and `resources`, those that have changed. Delete
 * the first from your copy, then store the others.
 */
export type JobPage = Required<components['schemas']['JobFeed']>;
/** A page of your company's events: `events`, oldest first. A webhook receiver verifies and handles each. */
export type EventPage = components['schemas']['EventFeed'];

export interface FollowOptions {
  /** Keeps the cursor, under the path of the feed. */
  readonly store: Store;
  /** Ends the iteration once all present entries have been read. Otherwise it polls until `signal` is aborted. */
  readonly stopAtEnd?: boolean;
  /** Seconds between polls. Default 60, and the service asks for at least that. */
  readonly pollSeconds?: number;
  /** Maximum number of entries in a page. */
  readonly limit?: number;
  /** Ignores the stored cursor and begins again, as after `cursor_invalid`. */
  readonly restart?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Iterates over the pages of the change feed. Without a stored cursor it begins with a snapshot of the present jobs, or at the
 * oldest entry (`from: 'start'`). The cursor is stored when the next page is requested, so a page during which the process or the
 * loop ends comes again: at least once, none skipped. Empty your copy before you begin again with a snapshot.
 */
export function followJobs(
  client: PartnerClient,
  options: FollowOptions & { readonly from?: 'snapshot' | 'start' },
): AsyncGenerator<JobPage, void, undefined> {
  const first = options.from === 'start' ? ({ from: 'start' } as const) : ({ view: 'snapshot' } as const);
  return follow<JobPage>(
    '/partner/v1/jobs',
    options,
    ({ resources, unassigned }) => resources.length + unassigned.length === 0,
    async (cursor, init) => {
      const place = cursor === undefined ? first : { cursor };
      const query = { ...place, ...limitOf(options), include: 'unassigned' } as const;
      const page = await client.GET('/partner/v1/jobs', { ...init, params: { query } });
      // A service of release 0.1.0 has none.
      return { ...page, unassigned: page.unassigned ?? [] };
    },
  );
}

/**
 * Iterates over the pages of the events of a selling (`/inbound/events`) or an installing company, as {@link followJobs} does. Without a
 * stored cursor it begins at the oldest event that is kept, up to 120 days back, or with those to come (`from: 'end'`). `event` is a
 * name or a group (`install.*`); without it every event of the company comes, whatever its webhooks subscribe to. `fields`: of the events
 * that have `changed`, only those of which one of these fields changed.
 */
export function followEvents(
  client: PartnerClient,
  path: '/inbound/events' | '/partner/v1/events',
  options: FollowOptions & {
    readonly from?: 'start' | 'end';
    readonly event?: string;
    readonly fields?: readonly string[];
  },
): AsyncGenerator<EventPage, void, undefined> {
  const first = options.from === 'end' ? ({ from: 'end' } as const) : {};
  const { event, fields } = options;
  const filter = {
    ...(event !== undefined && { event }),
    ...(fields !== undefined && { fields: fields.join(',') }),
  };
  return follow<EventPage>(
    path,
    options,
    ({ events }) => events.length === 0,
    (cursor, init) =>
      client.GET(path, {
        ...init,
        params: { query: { ...(cursor === undefined ? first : { cursor }), ...filter, ...limitOf(options) } },
      }),
  );
}

const limitOf = ({ limit }: FollowOptions) => (limit === undefined ? {} : { limit });

interface Page {
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

async function* follow<P extends Page>(
  path: string,
  { store, stopAtEnd = false, pollSeconds = 60, restart = false, signal }: FollowOptions,
  isEmpty: (page: P) => boolean,
  read: (cursor: string | undefined, init: { readonly signal: AbortSignal | null }) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  const key = `cursor:${path}`;
  let cursor = restart ? undefined : await store.get(key);
  const endIfAborted = (error: unknown) => {
    if (signal?.aborted !== true) throw error;
  };
  while (signal?.aborted !== true) {
    const page = await read(cursor, { signal: signal ?? null }).catch(endIfAborted);
    if (page === undefined) return;
    if (!isEmpty(page)) yield page;
    if (page.nextCursor !== null && page.nextCursor !== cursor) {
      cursor = page.nextCursor;
      await store.set(key, cursor);
    }
    if (page.hasMore) continue;
    if (stopAtEnd) return;
    await delay(pollSeconds * 1_000, signal).catch(endIfAborted);
  }
}
