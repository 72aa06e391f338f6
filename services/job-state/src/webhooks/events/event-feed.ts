import type { UnsignedEvent } from '@partner/proto-contracts/internal/events/unsigned-events';
import {
  listInboundEventsOperation,
  listInstallerEventsOperation,
} from '@partner/proto-contracts/resources/event-feed/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import {
  EVENT_CATALOGUE,
  eventsMatching,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import type { PreparedStatement } from '../../database/connection-pool.js';
import { type Database, type Queryable, queryWithin } from '../../database/database.js';
import { eventDays } from '@partner/proto-contracts/api/retention';
import { daysBefore } from '../../retention/partitioned-table.js';
import { refuseLostCursor } from '../../restore/restore.js';
import { bytesBefore, PAGE_BYTES, pageWithinBytes } from '../../rpc/page-within-bytes.js';
import { MAX_EVENTS_SCANNED } from './list-events.js';
import { lastEventNumber } from '../../database/event-numbers.js';
import { resourcesAbout } from './resources-about.js';
import { CHANGED_IN_BODY, hasChanged } from './wants-change.js';

export interface EventFeedQuery {
  readonly companyId: string;
  /** Only events after this number, a decimal text; undefined: none, only the newest number. */
  readonly after: string | undefined;
  readonly limit: number;
  /** Only this event of the catalogue, or this group (`install.*`); absent: all. */
  readonly event: string | undefined;
  /** Only events about this resource, see {@link resourcesAbout}; absent: all. */
  readonly resourceId: string | undefined;
  /** Of the events that say what changed, only those of which one of these fields did; absent: all. */
  readonly fields?: readonly string[] | undefined;
}

export interface FeedEventRow {
  /** A decimal text. */
  readonly sequence: string;
  readonly eventId: string;
  readonly event: string;
  /** The exact body of its webhooks. */
  readonly body: string;
}

/** A row with the ends of the company's events and of the scan; its other fields are null if the page is empty. */
interface PageRow {
  readonly head: string;
  readonly isLost: boolean;
  readonly scanEnd: string | null;
  readonly sequence: string | null;
}

/**
 * One statement and one snapshot: the head includes exactly the events that the page can see.
 *
 * `$3` bounds the scan; `scanEnd` is its last number if events follow. `$4` has the events that a class may not have, so that an
 * event which only a newer version knows is not skipped.
 */
const EVENTS_AFTER: PreparedStatement = {
  name: 'events-after',
  text: `with scanned as materialized (
       select sequence, id, name, resource_id, row_number() over (order by sequence) as number from events
       where company_id = $1 and sequence > 0 and sequence > $2 order by sequence limit $3 + 1
     ), found as materialized (
       select s.sequence, s.id, s.name from scanned s join companies c on c.id = $1
       where s.number <= $3 and not $4::jsonb -> c.class ? s.name
         and ($5::text is null or s.name like $5) and ($6::text is null or s.resource_id = any(array(${resourcesAbout('$1', '$6::text')})))
         and ($8::text[] is null or exists (select from events e where e.id = s.id and ${hasChanged(CHANGED_IN_BODY, '$8')}))
       order by s.sequence limit $7
     )
     select ${lastEventNumber('$1')} as head,
       coalesce((select lost_numbers @> $2::bigint from event_heads where company_id = $1), false) as "isLost",
       (select max(sequence) filter (where number = $3) from scanned having count(*) > $3) as "scanEnd", page.*
     from (select 1) as always left join (
       select found.sequence, found.id as "eventId", found.name as event, convert_from(e.body, 'UTF8') as body,
         ${bytesBefore('e.body', 'found.sequence')} as bytes_before
       from found join events e on e.id = found.id
     ) as page on bytes_before <= ${PAGE_BYTES}
     order by page.sequence`,
};

/** Events that a page looks into for each one that it may have: it parses their bodies. */
const BODIES_PER_EVENT = 10;

const NEWEST = `select ${lastEventNumber('$1')} as head`;

/** The events of the catalogue that a company may not have, by its class. */
const DENIED = JSON.stringify(
  Object.fromEntries(
    companyClass.options.map((ofClass) => [
      ofClass,
      Object.keys(EVENT_CATALOGUE).filter((event) => eventsMatching(event, ofClass).length === 0),
    ]),
  ),
);

/**
 * Reads a page of a company's events in ascending order of their numbers (decision EVENT-9).
 *
 * `next` is the number after which the next page starts: with a filter, that of the last scanned event, after at most
 * {@link MAX_EVENTS_SCANNED}. A page of large events ends early, see {@link pageWithinBytes}. Fails with `cursor_invalid` for a number
 * that a restore has lost, and for one after the newest event.
 */
export async function readEventFeed(
  database: Queryable,
  { companyId, after, limit, event, resourceId, fields }: EventFeedQuery,
): Promise<{ readonly events: readonly FeedEventRow[]; readonly next: string; readonly hasMore: boolean }> {
  if (after === undefined) {
    const [newest] = await database.query<{ head: string }>(NEWEST, [companyId]);
    return { events: [], next: newest?.head ?? '0', hasMore: false };
  }
  const isFiltered = [event, resourceId].some((filter) => filter !== undefined);
  const unfiltered = isFiltered ? MAX_EVENTS_SCANNED : limit + 1;
  const scanned = fields === undefined ? unfiltered : BODIES_PER_EVENT * limit;
  const rows = await database.query<PageRow | (PageRow & FeedEventRow)>(EVENTS_AFTER, [
    companyId,
    after,
    scanned,
    DENIED,
    event?.replaceAll('_', '\\_').replace('*', '%') ?? null,
    resourceId ?? null,
    limit + 1,
    fields ?? null,
  ]);
  if (rows[0]?.isLost === true) {
    const lost = { companyId, sequence: after };
    return refuseLostCursor(database, 'event_heads', lost, 'begin again without a cursor');
  }
  const found = rows.filter((row): row is PageRow & FeedEventRow => row.sequence !== null);
  const { page, hasMore } = pageWithinBytes(found, limit, ({ body }) => JSON.stringify(body));
  const last = page.at(-1);
  if (hasMore && last !== undefined) return { events: page, next: last.sequence, hasMore };
  const { head = '0', scanEnd = null } = rows[0] ?? {};
  if (BigInt(after) > BigInt(head)) throw cursorInvalid('is after the newest event');
  return { events: page, next: scanEnd ?? head, hasMore: scanEnd !== null };
}

function cursorInvalid(reason: string): ServiceError {
  const message = `${reason}; begin again without a cursor`;
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}

/**
 * The operations with which the API keys of a company read its events. A position is the number of an event, 0 before the first, a
 * colon and the day (UTC) on which it was given to the reader.
 */
export function eventFeedOperations(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
  readonly deliveriesDays: number;
}): readonly Implementation[] {
  const keptDays = eventDays(deps.deliveriesDays);

  /** Refuses a position after which events may have been dropped: a page would hide a gap. */
  function sequenceOf(position: string): string {
    const [sequence = '', day = ''] = position.split(':');
    if (new Date(day) < daysBefore(deps.clock(), keptDays - 1)) {
      throw cursorInvalid(`is too old: events are kept for ${keptDays} days`);
    }
    return sequence;
  }

  return [listInboundEventsOperation, listInstallerEventsOperation].map((operation) =>
    implement(operation, async ({ companyId, query, after, timeoutMs }) => {
      const { from, limit, event, resourceId, fields } = query;
      const start = from === 'end' ? undefined : '0';
      const page = await readEventFeed(queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() }), {
        companyId,
        after: after === undefined ? start : sequenceOf(after),
        limit,
        event,
        resourceId,
        fields: fields?.split(','),
      });
      const { hasMore } = page;
      const events = page.events.map(({ sequence, eventId, event: name, body }): UnsignedEvent => {
        return { sequence, eventId, event: name, body };
      });
      const today = deps.clock().toISOString().slice(0, 10);
      return { json: JSON.stringify({ events }), next: `${page.next}:${today}`, hasMore };
    }),
  );
}
