import type { Queryable } from '../database/database.js';
import { DELIVERY_COLUMNS, type DeliveryRow, type DeliveryStateName } from './delivery-message.js';
import { getSubscription, type SubscriptionOfCompany } from './get-subscription.js';

/** A page of a subscription's deliveries. */
export interface DeliveryQuery extends SubscriptionOfCompany {
  /** Only deliveries older than this one; from the newest when not given. */
  readonly beforeDeliveryId: string | undefined;
  /** From 1. */
  readonly limit: number;
  /** Only deliveries in this state; all when not given. */
  readonly state: DeliveryStateName | undefined;
}

/**
 * Lists a subscription's deliveries, newest first, by their ids, so that pages neither overlap nor skip while new ones come.
 * Fails with `not_found` for a subscription that the company does not have.
 */
export async function listDeliveries(
  database: Queryable,
  query: DeliveryQuery,
): Promise<{ readonly deliveries: readonly DeliveryRow[]; readonly hasMore: boolean }> {
  await getSubscription(database, query);
  const rows = await database.query<DeliveryRow>(
    `select ${DELIVERY_COLUMNS} from deliveries d join events e on e.id = d.event_id
     where d.subscription_id = $1 and ($2::text is null or d.id < $2) and ($3::text is null or d.state = $3)
     order by d.id desc
     limit $4`,
    [query.subscriptionId, query.beforeDeliveryId ?? null, query.state ?? null, query.limit + 1],
  );
  return { deliveries: rows.slice(0, query.limit), hasMore: rows.length > query.limit };
}
