import type { Queryable } from '../../database/database.js';
import { pageOf, type PageRow, pageWithScanEnd } from '../../database/page-with-scan-end.js';
import { getSubscription, type SubscriptionOfCompany } from '../subscriptions/get-subscription.js';
import { type CreationSpan, idsCreatedWithin } from '../../database/created-within.js';
import {
  ANY_DELIVERY_COLUMNS,
  type DeliveryRow,
  type DeliveryStateName,
} from '../schedule/delivery-resource.js';

/** Deliveries that one page looks through at most, however few of them pass its filters. */
export const MAX_DELIVERIES_SCANNED = 10_000;

/** A page of a subscription's deliveries. */
export interface DeliveryQuery extends SubscriptionOfCompany {
  /** Only deliveries older than this one; from the newest when not given. */
  readonly beforeDeliveryId: string | undefined;
  /** From 1. */
  readonly limit: number;
  /** Only deliveries in this state; all when not given. */
  readonly state: DeliveryStateName | undefined;
  /** Only these events; all when not given. */
  readonly events: readonly string[] | undefined;
  /** Only deliveries created within it. */
  readonly created: CreationSpan;
  /** Only events about this resource; all when not given. */
  readonly resourceId: string | undefined;
}

/**
 * `scanned` goes through the subscription's deliveries from the newest on, by what an index knows of them: their ids, and
 * their state when it is a final one or `held`. What no index knows is looked at row by row.
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
 * Lists a subscription's deliveries, newest first, by their ids, so that pages neither overlap nor skip while new ones come.
 * `nextBeforeId` is where the next page goes on. A page whose filters few deliveries pass ends after
 * {@link MAX_DELIVERIES_SCANNED}, with what it has found. The page and where it goes on are one statement. Fails with `not_found` for a subscription that the company does not
 * have.
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
