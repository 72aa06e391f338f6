import type { Database, Queryable } from '../../database/database.js';
import { dueAt, isInFlight, isOverdue, isWaiting } from '../deliveries/delivery-columns.js';
import { FAILING_AFTER, sharedSlotsOf } from '../deliveries/claim-rule.js';

export const ENDPOINT_STATES = ['healthy', 'busy', 'failing'] as const;
type EndpointState = (typeof ENDPOINT_STATES)[number];

export interface DeliveryCapacity {
  readonly inFlight: number;
  readonly subscriptionCap: number;
}

/** Timeout of a measurement, so that it does not load a database that is already slow. */
const MEASUREMENT_MS = 3_000;
/** Subscriptions with a backlog that a measurement inspects: its duration grows with their number. */
const SUBSCRIPTIONS_MEASURED = 5_000;

export function measuring(database: Pick<Database, 'query'>): Queryable {
  return { query: (statement, values) => database.query(statement, values, { timeoutMs: MEASUREMENT_MS }) };
}

/** The oldest waiting delivery of each subscription, `due_at` its time: hops through the index of the queue. */
function oldestWaiting(name: string, state: 'pending' | 'retry_scheduled'): string {
  const oldest = (after: string) => `select d.subscription_id, ${dueAt('d')} as due_at from deliveries d
         where ${isWaiting('d', state)}${after} order by d.subscription_id, ${dueAt('d')} limit 1`;
  return `${name} (subscription_id, due_at) as (
       (${oldest('')})
       union all
       select following.* from ${name} cross join lateral (${oldest(` and d.subscription_id > ${name}.subscription_id`)}) following
     )`;
}

/**
 * Returns the age of the oldest due delivery in seconds, 0 without one, by the state of its endpoint: of the oldest waiting one of each
 * subscription, and of all overdue ones, waiting or with the dispatcher again.
 *
 * The indexes begin with the oldest one, so the cost does not depend on the backlog.
 */
export async function oldestDueSeconds(
  database: Queryable,
  { inFlight, subscriptionCap }: DeliveryCapacity,
): Promise<ReadonlyMap<EndpointState, number>> {
  const rows = await database.query<{ state: EndpointState; age: number }>(
    `with recursive ${oldestWaiting('first', 'pending')}, ${oldestWaiting('retry', 'retry_scheduled')}, waiting as materialized (
       (select * from first limit $2) union all (select * from retry limit $2)
     ), under_way as materialized (
       select d.subscription_id, count(*) as deliveries from deliveries d where ${isInFlight('d')} group by 1
     ), due (subscription_id, since, is_busy) as (
       select waiting.subscription_id, waiting.due_at, coalesce(under_way.deliveries, 0) >= $3 / 2.0
         and (select sum(deliveries) from under_way) < $4
       from waiting left join under_way on under_way.subscription_id = waiting.subscription_id
       where waiting.due_at <= now()
       union all
       (select d.subscription_id, d.overdue_since, false from deliveries d where ${isOverdue('d')} order by d.overdue_since limit $2)
     )
     select case when s.failures_in_row >= $1 then 'failing' when due.is_busy or s.deliveries_per_second is not null then 'busy' else 'healthy' end as state,
       extract(epoch from now() - min(due.since))::double precision as age
     from due join subscriptions s on s.id = due.subscription_id
     group by 1`,
    [FAILING_AFTER, SUBSCRIPTIONS_MEASURED, subscriptionCap, sharedSlotsOf(inFlight)],
  );
  return new Map(
    ENDPOINT_STATES.map((state) => [state, rows.find((row) => row.state === state)?.age ?? 0] as const),
  );
}
