import { eventsNamedBy } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { nearestEvent } from '@partner/proto-contracts/resources/event-catalogue/nearest-event';
import { instantOfId } from '@partner/kernel/process/ids';
import { invalidArgument } from '@partner/kernel/process/validation';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Queryable } from '../../database/database.js';
import { pageOf, type PageRow, pageWithScanEnd } from '../../database/page-with-scan-end.js';
import type { DeliveryStateName } from '../deliveries/delivery-columns.js';
import { EVENT_COLUMNS, type EventRow } from './event-resource.js';
import { resourcesAbout, resourcesNamed } from './resources-about.js';

/** Maximum number of events that one page scans, however few match its filter. */
export const MAX_EVENTS_SCANNED = 10_000;

export interface EventQuery {
  readonly companyId: string;
  /** Only events older than this one; absent: from the newest. */
  readonly beforeEventId: string | undefined;
  readonly limit: number;
  readonly events: readonly string[] | undefined;
  /** Only events about this resource or work order, see {@link resourcesAbout} and {@link resourcesNamed}; absent: all. */
  readonly resourceId: string | undefined;
}

interface ListedEvent extends EventRow {
  /** The different states of the newest delivery to each subscription. */
  readonly deliveryStates: readonly DeliveryStateName[];
}

/** Walks the company's events, or those about one resource, from the newest on. Each walk has an index. */
const scanned = (isAboutResource: string) => `
  select e.* from events e
  where e.company_id = $1 and ($2::text is null or e.id < $2) and ($3::text is null or ${isAboutResource})
  order by e.id desc`;

const SCANNED = scanned('e.resource_id = $3');

/** For a resource that others belong to. It sorts their events, which are few. */
const SCANNED_OF_PROJECT = scanned(`e.resource_id = any(array(${resourcesAbout('$1', '$3')}))`);

/** For what is not an id, such as a work order number. It sorts the events too. */
const SCANNED_OF_TEXT = scanned(`e.resource_id = any(array(${resourcesNamed('$1', '$3')}))`);

function walkOf(resourceId: string | undefined): string {
  if (resourceId === undefined || /^(?!prj|lead)[a-z]+_/.test(resourceId)) return SCANNED;
  return /^(?:prj|lead)_/.test(resourceId) ? SCANNED_OF_PROJECT : SCANNED_OF_TEXT;
}

/**
 * Lists a company's events by id, newest first.
 *
 * `nextBeforeId` is where the next page starts. A page ends after {@link MAX_EVENTS_SCANNED} scanned events with the matches so
 * far. The page is one statement, so concurrent commits are neither skipped nor repeated.
 */
export async function listEvents(
  database: Queryable,
  { companyId, beforeEventId, limit, events, resourceId }: EventQuery,
): Promise<{ readonly events: readonly ListedEvent[]; readonly nextBeforeId: string | undefined }> {
  const scan = [companyId, beforeEventId ?? null, resourceId ?? null];
  const walk = walkOf(resourceId);
  const page = `
    select ${EVENT_COLUMNS} from (${walk} limit $4) e
    where ($5::text[] is null or e.name = any($5))
    order by e.id desc
    limit $6`;
  const rows = await database.query<PageRow<EventRow>>(
    pageWithScanEnd({
      page,
      scanned: walk,
      isNeeded: '$5::text[] is not null',
      maxScanned: '$4',
      maxRows: '$6',
    }),
    [...scan, MAX_EVENTS_SCANNED, events ?? null, limit + 1],
  );
  const { rows: found, nextBeforeId } = pageOf(rows, limit);
  const states = await deliveryStates(database, companyId, found);
  return {
    events: found.map((event) => ({ ...event, deliveryStates: states.get(event.id) ?? [] })),
    nextBeforeId,
  };
}

async function deliveryStates(
  database: Queryable,
  companyId: string,
  events: readonly EventRow[],
): Promise<ReadonlyMap<string, readonly DeliveryStateName[]>> {
  const oldest = events.at(-1);
  if (oldest === undefined) return new Map();
  // A delivery's id is created right after its event's id. The bound spares older partitions.
  const { lowest } = idsCreatedWithin('dlv', { from: instantOfId('evt', oldest.id), to: undefined });
  const rows = await database.query<{
    readonly eventId: string;
    readonly states: readonly DeliveryStateName[];
  }>(
    `select event_id as "eventId", array_agg(distinct state) as states
     from (
       select distinct on (d.event_id, d.subscription_id) d.event_id, d.state from all_deliveries d
       where d.event_id = any($1::text[]) and d.company_id = $2 and d.id >= $3
       order by d.event_id, d.subscription_id, d.id desc
     ) newest
     group by event_id`,
    [events.map(({ id }) => id), companyId, lowest],
  );
  return new Map(rows.map(({ eventId, states }) => [eventId, states]));
}

/** Returns the events of a name or group; undefined: all. */
export function eventsOf(pattern: string | undefined): readonly string[] | undefined {
  if (pattern === undefined) return undefined;
  const events = eventsNamedBy(pattern);
  if (events.length > 0) return events;
  throw invalidArgument([
    { path: 'event', message: `must be an event in the catalog, or a group${nearestEvent(pattern)}` },
  ]);
}
