import type { webhookDeliveryQuery } from '@partner/proto-contracts/resources/delivery/delivery';
import { isId } from '@partner/kernel/process/ids';
import type { z } from 'zod';
import type { Queryable } from '../../database/database.js';
import { pageOf, type PageRow, pageWithScanEnd } from '../../database/page-with-scan-end.js';
import { getSubscription } from '../subscriptions/get-subscription.js';
import { idsCreatedWithin } from '../../database/created-within.js';
import { ANY_DELIVERY_COLUMNS } from '../deliveries/delivery-columns.js';
import { ATTEMPT_SUMMARY_COLUMNS } from '../deliveries/attempt-columns.js';
import type { ListedDeliveryRow } from '../deliveries/delivery-resource.js';
import { isDeliveryOfCompany } from './get-delivery.js';
import { eventsOf } from '../events/list-events.js';
import { resourcesNamed } from '../events/resources-about.js';

/** Maximum number of deliveries that one page scans, however few match its filters. */
export const MAX_DELIVERIES_SCANNED = 10_000;
/** Maximum number of events of a resource whose deliveries a search finds: the newest ones. */
const MAX_EVENTS_SEARCHED = 1_000;

export interface DeliveryQuery extends Partial<z.output<typeof webhookDeliveryQuery>> {
  readonly companyId: string;
  /** Only deliveries to this subscription; absent: to all, deleted ones included. */
  readonly subscriptionId?: string | undefined;
  /** Only deliveries older than this one; absent: from the newest. */
  readonly beforeDeliveryId: string | undefined;
  readonly limit: number;
}

/** The walks that have an index, and the states that it covers. */
const WALKS = {
  subscription: { key: 'd.subscription_id', states: new Set(['held', 'dead_lettered', 'cancelled']) },
  company: { key: 'd.company_id', states: new Set(['dead_lettered', 'cancelled']) },
} as const;

const UNFINISHED: ReadonlySet<string> = new Set(['pending', 'retry_scheduled', 'held']);

/**
 * Selects in `all_deliveries d` those of company $16 that the text $15 names.
 *
 * Ids of deliveries and events have their own index. A resource is found through its events, which are kept longer.
 */
function searchedBy(search: string | undefined): string {
  if (search === undefined) return 'true';
  if (isId('dlv', search)) return isDeliveryOfCompany('$16', '$15');
  if (isId('evt', search)) return 'd.company_id = $16 and d.event_id = $15';
  return `d.event_id = any(array(
    select e.id from events e
    where e.company_id = $16 and e.resource_id = any(array(${resourcesNamed('$16', '$15')}))
    order by e.id desc limit ${MAX_EVENTS_SEARCHED}))`;
}

/**
 * Lists a company's deliveries, or those to one subscription, by id, newest first, each with its last attempt.
 *
 * Pages neither overlap nor skip while new deliveries are queued. `nextBeforeId` is where the next page starts. A page ends
 * after {@link MAX_DELIVERIES_SCANNED} scanned deliveries with the matches so far. One statement reads the page and where the
 * next one starts. Fails with `not_found` for a subscription that the company does not have.
 */
export async function listDeliveries(
  database: Queryable,
  query: DeliveryQuery,
): Promise<{
  readonly deliveries: readonly ListedDeliveryRow[];
  readonly nextBeforeId: string | undefined;
}> {
  const { companyId, subscriptionId, beforeDeliveryId, limit, status: state, search } = query;
  const [from, to] = [query.from, query.to].map((time) => (time === undefined ? undefined : new Date(time)));
  const events = eventsOf(query.event);
  if (subscriptionId !== undefined) await getSubscription(database, { companyId, subscriptionId });
  const walk = subscriptionId === undefined ? WALKS.company : WALKS.subscription;
  const { lowest, beyond } = idsCreatedWithin('dlv', { from, to });
  const isStateFiltered = state !== undefined && !walk.states.has(state);
  // Walks the deliveries from the newest on, through the indexes. Other filters are checked row by row.
  const scanned = `
    select d.* from all_deliveries d
    where ${walk.key} = $1 and d.id >= $2 and d.id < $3
      and ($4::text is null or d.state = $4)
      and (not $5::boolean or d.state in ('pending', 'retry_scheduled', 'held'))
      and ($6::timestamptz is null or d.created_at >= $6) and ($7::timestamptz is null or d.created_at < $7)
      and ${searchedBy(search)}
    order by d.id desc`;
  const page = `
    select ${ANY_DELIVERY_COLUMNS}, ${ATTEMPT_SUMMARY_COLUMNS} from (
      select d.* from (${scanned} limit $8) d
      where ($9::text is null or d.state = $9) and ($10::text[] is null or d.event = any($10))
        and ($11::text is null or d.resource_id = $11)
        and ($13::bigint is null or d.number >= $13) and ($14::bigint is null or d.number <= $14)
      order by d.id desc
      limit $12
    ) d
    left join lateral (
      select * from delivery_attempts made where made.delivery_id = d.id
      order by made.started_at desc, made.id desc limit 1
    ) a on true`;
  const isNeeded = '(num_nonnulls($9::text, $10::text[], $11::text, $13::bigint, $14::bigint) > 0)';
  const rows = await database.query<PageRow<ListedDeliveryRow>>(
    pageWithScanEnd({ page, scanned, isNeeded, maxScanned: '$8', maxRows: '$12' }),
    [
      subscriptionId ?? companyId,
      lowest,
      beforeDeliveryId !== undefined && beforeDeliveryId < beyond ? beforeDeliveryId : beyond,
      isStateFiltered ? null : (state ?? null),
      isStateFiltered && UNFINISHED.has(state),
      from ?? null,
      to ?? null,
      MAX_DELIVERIES_SCANNED,
      isStateFiltered ? state : null,
      events ?? null,
      query.resourceId ?? null,
      limit + 1,
      query.fromNumber ?? null,
      query.toNumber ?? null,
      ...(search === undefined ? [] : [search, companyId]),
    ],
  );
  const { rows: deliveries, nextBeforeId } = pageOf(rows, limit);
  return { deliveries, nextBeforeId };
}
