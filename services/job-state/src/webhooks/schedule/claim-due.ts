import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Queryable } from '../../database/database.js';
import { failingSlotsOf, type LeaseLimits, sharedSlotsOf } from '../deliveries/claim-rule.js';
import { dueAt, isDue, isWaiting, setDueAt } from '../deliveries/delivery-columns.js';
import type { LeasedDelivery } from '../deliveries/leased-delivery.js';
import { CLAIM } from './claim-statement.js';

/** Limits of a claim. Without a cap a company can have all slots. */
export interface ClaimLimits extends Pick<LeaseLimits, 'leaseSeconds' | 'inFlight' | 'subscriptionCap'> {
  readonly batchSize: number;
  readonly companyCap?: number;
}

/** Hops through an index from one subscription with waiting deliveries to the next. */
function hop(state: 'pending' | 'retry_scheduled'): PreparedStatement {
  const waiting = `select d.subscription_id from deliveries d where ${isWaiting('d', state)}`;
  const text = `
    with recursive hop (subscription_id, number) as (
      (select (${waiting} and d.subscription_id > $1 order by d.subscription_id limit 1), 1)
      union all
      select (${waiting} and d.subscription_id > hop.subscription_id order by d.subscription_id limit 1), hop.number + 1
      from hop where hop.subscription_id is not null and hop.number <= $2
    )
    select subscription_id as id from hop where subscription_id is not null order by number limit $2`;
  return { name: `waiting-${state}`, text };
}

const HOPS = { pending: hop('pending'), retry_scheduled: hop('retry_scheduled') } as const;

/**
 * Lists subscriptions with waiting first attempts (`pending`) or retries, due or not.
 *
 * They come in ascending order of id, starting after the given one.
 */
export async function findWaiting(
  database: Queryable,
  waiting: {
    readonly state: 'pending' | 'retry_scheduled';
    readonly afterId: string;
    readonly limit: number;
  },
): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(HOPS[waiting.state], [waiting.afterId, waiting.limit]);
  return rows.map(({ id }) => id);
}

/**
 * Leases due deliveries of the given subscriptions for `leaseSeconds` and returns them in order of priority.
 *
 * Companies with the least in flight for their weight come first. Due times and leases use the database's clock, so replicas
 * agree whatever their own clocks say. No two calls, in any process, lease the same delivery at a time. Of a paused
 * subscription only tests are leased, of a deleted one nothing.
 */
export async function claimDue(
  database: Queryable,
  limits: ClaimLimits & { readonly subscriptionIds: readonly string[] },
): Promise<readonly LeasedDelivery[]> {
  if (limits.subscriptionIds.length === 0) return [];
  const { inFlight, companyCap = inFlight } = limits;
  return database.query<LeasedDelivery>(CLAIM, [
    limits.batchSize,
    limits.leaseSeconds,
    inFlight,
    limits.subscriptionCap,
    sharedSlotsOf(inFlight),
    companyCap,
    failingSlotsOf(inFlight),
    failingSlotsOf(companyCap),
    limits.subscriptionIds,
  ]);
}

export const EXPIRED_AT_ONCE = 1_000;

/**
 * Ends leases that expired without a result and returns their number.
 *
 * Their deliveries are due again with an unchanged attempt count. They are overdue since the end of the first such lease,
 * unless a result of a former lease has arrived meanwhile. With `withinSeconds` it only looks at leases that expired so lately.
 */
export async function endExpiredLeases(database: Queryable, withinSeconds?: number): Promise<number> {
  const ended = await database.query(
    `update deliveries set lease_id = null, not_before = null, ${setDueAt(`greatest(${dueAt('deliveries')}, not_before)`)},
       overdue_since = case when not_before is null then coalesce(overdue_since, ${dueAt('deliveries')}) end
     from (
       select d.id from deliveries d where d.lease_id is not null and ${isDue('d')}
         and ${dueAt('d')} > coalesce(now() - make_interval(secs => $2), '-infinity')
       order by ${dueAt('d')} limit $1 for update skip locked
     ) expired
     where deliveries.id = expired.id
     returning deliveries.id`,
    [EXPIRED_AT_ONCE, withinSeconds ?? null],
  );
  return ended.length;
}

export type Lease = Pick<LeasedDelivery, 'id' | 'leaseId'>;

/**
 * Returns leases under which nothing was sent.
 *
 * The deliveries are due again after `afterMs` with an unchanged attempt count, and overdue since the first return. A lease
 * that has ended or was settled meanwhile is left alone.
 *
 * Locks: the deliveries in ascending id.
 */
export async function returnLeases(
  database: Queryable,
  leases: readonly Lease[],
  afterMs: number,
): Promise<void> {
  await database.query(
    `with locked as materialized (
       select d.id from deliveries d
       join unnest($1::text[], $2::text[]) as lease (id, lease_id) on lease.id = d.id and lease.lease_id = d.lease_id
       order by d.id
       for no key update of d
     )
     update deliveries set lease_id = null, not_before = null,
       ${setDueAt('greatest(now() + make_interval(secs => $3::double precision / 1000), not_before)')},
       overdue_since = case when not_before is null then coalesce(overdue_since, now()) end
     from locked where deliveries.id = locked.id`,
    [leases.map((lease) => lease.id), leases.map((lease) => lease.leaseId), afterMs],
  );
}
