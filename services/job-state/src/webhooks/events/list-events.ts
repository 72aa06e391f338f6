import { eventsNamedBy } from '@partner/proto-contracts/events/webhook-events';
import { invalidArgument } from '@partner/kernel/validation';
import type { Queryable } from '../../database/database.js';
import { pageOf, type PageRow, pageWithScanEnd } from '../../database/page-with-scan-end.js';
import { EVENT_COLUMNS, type EventRow } from './event-resource.js';

/** Maximum number of events that one page scans, however few match its filter. */
export const MAX_EVENTS_SCANNED = 10_000;

/** A page of a company's events. */
export interface EventQuery {
  readonly companyId: string;
  /** Only events older than this one; absent: from the newest. */
  readonly beforeEventId: string | undefined;
  /** At least 1. */
  readonly limit: number;
  /** Only these events; absent: all. */
  readonly events: readonly string[] | undefined;
  /** Only events about this resource; absent: all. */
  readonly resourceId: string | undefined;
}

/** Walks the company's events, or those about one resource, from the newest on. Each walk has an index. */
const SCANNED = `
  select e.* from events e
  where e.company_id = $1 and ($2::text is null or e.id < $2) and ($3::text is null or e.resource_id = $3)
  order by e.id desc`;

/**
 * Lists a company's events by id, newest first.
 *
 * `nextBeforeId` is where the next page starts. A page ends after {@link MAX_EVENTS_SCANNED} scanned events with the matches so
 * far. It is one statement, so concurrent commits are neither skipped nor repeated.
 */
export async function listEvents(
  database: Queryable,
  { companyId, beforeEventId, limit, events, resourceId }: EventQuery,
): Promise<{ readonly events: readonly EventRow[]; readonly nextBeforeId: string | undefined }> {
  const scan = [companyId, beforeEventId ?? null, resourceId ?? null];
  const page = `
    select ${EVENT_COLUMNS} from (${SCANNED} limit $4) e
    where ($5::text[] is null or e.name = any($5))
    order by e.id desc
    limit $6`;
  const rows = await database.query<PageRow<EventRow>>(
    pageWithScanEnd({
      page,
      scanned: SCANNED,
      isNeeded: '$5::text[] is not null',
      maxScanned: '$4',
      maxRows: '$6',
    }),
    [...scan, MAX_EVENTS_SCANNED, events ?? null, limit + 1],
  );
  const { rows: found, nextBeforeId } = pageOf(rows, limit);
  return { events: found, nextBeforeId };
}

/** Returns the events of a name or group of an RPC; undefined: all. */
export function eventsOf(pattern: string | undefined): readonly string[] | undefined {
  if (pattern === undefined) return undefined;
  const events = eventsNamedBy(pattern);
  if (events.length > 0) return events;
  throw invalidArgument([{ path: 'event', message: 'must be an event of the catalogue, or a group' }]);
}
