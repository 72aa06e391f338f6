import type { Queryable } from '../../database/database.js';
import { pageOf, type PageRow, pageWithScanEnd } from '../../database/page-with-scan-end.js';
import { getSubscription, type SubscriptionOfCompany } from '../subscriptions/get-subscription.js';
import { type CreationSpan, idsCreatedWithin } from '../../database/created-within.js';
import {
  ANY_DELIVERY_COLUMNS,
  type DeliveryRow,
  type DeliveryStateName,
} from '../schedule/delivery-resource.js';

/** Maximum number of deliveries that one page scans, however few match its filters. */
export const MAX_DELIVERIES_SCANNED = 10_000;

/** A page of a subscription's deliveries. */
export interface DeliveryQuery extends SubscriptionOfCompany {
  /** Only deliveries older than this one; absent: from the newest. */
  readonly beforeDeliveryId: string | undefined;
  /** At least 1. */
  readonly limit: number;
  /** Only deliveries in this state; absent: all. */
  readonly state: DeliveryStateName | undefined;
  /** Only these events; absent: all. */
  readonly events: readonly string[] | undefined;
  /** Only deliveries created within this span. */
  readonly created: CreationSpan;
  /** Only events about this resource; absent: all. */
  readonly resourceId: string | undefined;
}

/**
 * `scanned` walks the subscription's deliveries from the newest on, through the indexes.
 *
 * The indexes cover the ids, and the states that are final or `held`. Other filters are checked row by row.
 */
const SCANNED = `
  select d.* from all_deliveries d
  where d.subscription_id = $1 and d.id >= $2 and d.id < $3
    and ($4::text is null or d.state = $4)
    and (not $5::boolean or d.state in ('pending', 'retry_scheduled', 'held'))
    and ($6::timestamptz is null or d.created_at >= $6) and ($7::timestamptz is null or d.created_at < $7)
  order by d.id desc`;

const UNINDEXED_STATES: ReadonlySet<string> = new Set(['pending', 'retry_scheduled']);

/**
 * Lists a subscription's deliveries by id, newest first.
 *
 * Pages neither overlap nor skip while new deliveries are queued. `nextBeforeId` is where the next page starts. A page ends
 * after {@link MAX_DELIVERIES_SCANNED} scanned deliveries with the matches so far. One statement reads the page and where the
 * next one starts. Fails with `not_found` for a subscription that the company does not have.
 */
export async function listDeliveries(
  database: Queryable,
  query: DeliveryQuery,
): Promise<{ readonly deliveries: readonly DeliveryRow[]; readonly nextBeforeId: string | undefined }> {
  await getSubscription(database, query);
  const { subscriptionId, beforeDeliveryId, limit, state, events, created, resourceId } = query;
  const { lowest, beyond } = idsCreatedWithin('dlv', created);
  const isStateFiltered = state !== undefined && UNINDEXED_STATES.has(state);
  const scan = [
    subscriptionId,
    lowest,
    beforeDeliveryId !== undefined && beforeDeliveryId < beyond ? beforeDeliveryId : beyond,
    isStateFiltered ? null : (state ?? null),
    isStateFiltered,
    created.from ?? null,
    created.to ?? null,
  ];
  const page = `
    select ${ANY_DELIVERY_COLUMNS} from (${SCANNED} limit $8) d
    where ($9::text is null or d.state = $9) and ($10::text[] is null or d.event = any($10))
      and ($11::text is null or d.resource_id = $11)
    order by d.id desc
    limit $12`;
  const isNeeded = '($9::text is not null or $10::text[] is not null or $11::text is not null)';
  const rows = await database.query<PageRow<DeliveryRow>>(
    pageWithScanEnd({ page, scanned: SCANNED, isNeeded, maxScanned: '$8', maxRows: '$12' }),
    [
      ...scan,
      MAX_DELIVERIES_SCANNED,
      isStateFiltered ? state : null,
      events ?? null,
      resourceId ?? null,
      limit + 1,
    ],
  );
  const { rows: deliveries, nextBeforeId } = pageOf(rows, limit);
  return { deliveries, nextBeforeId };
}
