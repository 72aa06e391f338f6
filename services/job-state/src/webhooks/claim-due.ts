import type { Queryable } from '../database/database.js';

/** One delivery that may be attempted now, with all that its attempt needs. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly leaseId: string;
  /** By the database's clock. */
  readonly leaseExpiresAt: Date;
  /** True when an earlier lease ran out without a result. */
  readonly previousLeaseExpired: boolean;
  /** The number of the attempt to make, from 1. */
  readonly attempt: number;
  readonly subscriptionId: string;
  readonly url: string;
  readonly urlVersion: number;
  readonly secretVersion: number;
  readonly sealedSecret: Buffer;
  readonly eventId: string;
  readonly event: string;
  readonly body: Buffer;
  readonly traceParent: string | null;
}

/** How much is claimed and for how long. */
export interface ClaimLimits {
  readonly batchSize: number;
  readonly leaseSeconds: number;
  /** Deliveries of one subscription that are under way at once, at most. */
  readonly subscriptionCap: number;
}

/**
 * What is due is looked for per subscription, so that neither the backlog of one that is slow nor its size stands in the
 * way of the others:
 *
 * - `unfinished` hops through the index from one subscription with unfinished deliveries to the next;
 * - `candidates` takes of each its oldest due deliveries, as many as its cap leaves room for, and of those the oldest;
 * - `held` sets aside what belongs to a paused subscription, tests excepted. The lock on the subscription makes sure that
 *   an activation either comes first or finds the delivery held; neither lock is waited for;
 * - `leased` takes the rest. Rows that another replica is taking are skipped, or fail the second look at their due time.
 *
 * The cap counts the leases of this statement's snapshot: replicas that claim in the same instant can together exceed it.
 */
const CLAIM = `
  with recursive unfinished (subscription_id) as (
    (select d.subscription_id from deliveries d
     where d.state in ('pending', 'retry_scheduled') order by d.subscription_id limit 1)
    union all
    select (select d.subscription_id from deliveries d
            where d.state in ('pending', 'retry_scheduled') and d.subscription_id > unfinished.subscription_id
            order by d.subscription_id limit 1)
    from unfinished where unfinished.subscription_id is not null
  ), candidates as materialized (
    select due.id
    from unfinished
    join subscriptions s on s.id = unfinished.subscription_id
    cross join lateral (
      select count(*)::integer as deliveries from deliveries d
      where d.subscription_id = s.id and d.lease_id is not null and d.next_attempt_at > now()
    ) under_way
    cross join lateral (
      select d.id, d.next_attempt_at from deliveries d
      where d.subscription_id = s.id and d.state in ('pending', 'retry_scheduled') and d.next_attempt_at <= now()
      order by d.next_attempt_at
      limit greatest($3 - under_way.deliveries, 0)
    ) due
    order by due.next_attempt_at
    limit $1
  ), held as (
    update deliveries set state = 'held', lease_id = null
    from (
      select d.id from candidates
      join deliveries d on d.id = candidates.id
      join subscriptions s on s.id = d.subscription_id
      where s.state = 'paused' and not d.is_test
        and d.state in ('pending', 'retry_scheduled') and d.next_attempt_at <= now()
      for update of d skip locked for share of s skip locked
    ) of_paused
    where deliveries.id = of_paused.id
    returning deliveries.id
  ), leased as (
    update deliveries set lease_id = gen_random_uuid()::text, next_attempt_at = now() + make_interval(secs => $2)
    from (
      select d.id, d.lease_id is not null as lease_expired from candidates
      join deliveries d on d.id = candidates.id
      join subscriptions s on s.id = d.subscription_id
      where (s.state = 'active' or d.is_test)
        and d.state in ('pending', 'retry_scheduled') and d.next_attempt_at <= now()
      for update of d skip locked
    ) takeable
    where deliveries.id = takeable.id
    returning deliveries.*, takeable.lease_expired
  )
  select leased.id, leased.lease_id as "leaseId", leased.next_attempt_at as "leaseExpiresAt",
    leased.lease_expired as "previousLeaseExpired", leased.attempts + 1 as attempt,
    s.id as "subscriptionId", s.url, s.url_version as "urlVersion",
    secret.version as "secretVersion", secret.sealed as "sealedSecret",
    event.id as "eventId", event.name as event, event.body, event.trace_parent as "traceParent"
  from leased
  join subscriptions s on s.id = leased.subscription_id
  join subscription_secrets secret on secret.subscription_id = s.id and secret.version = s.secret_version
  join events event on event.id = leased.event_id`;

/**
 * Takes due deliveries, the oldest first, and gives each a new lease that ends after `leaseSeconds`; what has no result by
 * then is due again. Due and lease go by the database's clock, so that replicas agree whatever their own clocks say. No two
 * calls, in whatever process, take the same delivery during one lease. What belongs to a paused subscription becomes held,
 * tests excepted.
 */
export function claimDue(database: Queryable, limits: ClaimLimits): Promise<readonly ClaimedDelivery[]> {
  return database.query<ClaimedDelivery>(CLAIM, [
    limits.batchSize,
    limits.leaseSeconds,
    limits.subscriptionCap,
  ]);
}

/** A lease on a delivery. */
export type Lease = Pick<ClaimedDelivery, 'id' | 'leaseId'>;

/**
 * Gives back leases under which nothing was sent: the deliveries are due again after `afterMs`, with the attempts that they
 * had. A lease that has ended or been settled meanwhile is left alone.
 */
export async function returnLeases(
  database: Queryable,
  leases: readonly Lease[],
  afterMs: number,
): Promise<void> {
  await database.query(
    `update deliveries set lease_id = null, next_attempt_at = now() + make_interval(secs => $3::double precision / 1000)
     from unnest($1::text[], $2::text[]) as lease (id, lease_id)
     where deliveries.id = lease.id and deliveries.lease_id = lease.lease_id`,
    [leases.map((lease) => lease.id), leases.map((lease) => lease.leaseId), afterMs],
  );
}
