import type { Queryable } from '../database/database.js';

/** One delivery that may be attempted now, with all that its attempt needs. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly leaseId: string;
  /** By the database's clock. */
  readonly leasedAt: Date;
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
  /** The request that made the event. */
  readonly requestId: string | null;
}

/** How much is claimed and for how long. */
export interface ClaimLimits {
  readonly batchSize: number;
  readonly leaseSeconds: number;
  /** Deliveries that are under way at once, at most, whosever they are. */
  readonly inFlight: number;
  /** Deliveries of one subscription that are under way at once, at most. */
  readonly subscriptionCap: number;
}

/** The part of what may be under way that is kept for subscriptions that have nothing under way. */
const KEPT_FOR_FIRST = 0.25;

/**
 * What is due is looked for per subscription, so that neither the backlog of one that is slow nor its size stands in the
 * way of the others:
 *
 * - `unfinished` hops through the index from one subscription with unfinished deliveries to the next;
 * - `under_way` counts the leases that have not ended, of which there are few;
 * - `due` takes of each subscription as many due deliveries as its cap leaves room for, first attempts before retries, each
 *   the oldest first. Its place is how many of its subscription are then under way;
 * - `candidates` are those with the lowest places, as many as there is room for: whoever has the least under way comes first.
 *   The last quarter of the room is for subscriptions with nothing under way, so that many that hang do not fill it;
 * - `held` sets aside what belongs to a paused subscription, tests excepted. The lock on the subscription makes sure that
 *   an activation either comes first or finds the delivery held; neither lock is waited for;
 * - `leased` takes the rest. Rows that another replica is taking are skipped, or fail the second look at their due time.
 *
 * The bounds count the leases of this statement's snapshot: replicas that claim in the same instant can together exceed them.
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
  ), under_way as materialized (
    select d.subscription_id, count(*)::integer as deliveries from deliveries d
    where d.lease_id is not null and d.next_attempt_at > now()
    group by d.subscription_id
  ), all_under_way as materialized (
    select coalesce(sum(deliveries), 0)::integer as deliveries from under_way
  ), due as (
    select oldest.id, oldest.next_attempt_at, coalesce(under_way.deliveries, 0) + oldest.number as place
    from unfinished
    left join under_way on under_way.subscription_id = unfinished.subscription_id
    cross join lateral (
      select either.id, either.next_attempt_at,
        row_number() over (order by either.is_retry, either.next_attempt_at) as number
      from (
        (select d.id, d.next_attempt_at, false as is_retry from deliveries d
         where d.subscription_id = unfinished.subscription_id and d.state = 'pending' and d.next_attempt_at <= now()
         order by d.next_attempt_at
         limit greatest($4::integer - coalesce(under_way.deliveries, 0), 0))
        union all
        (select d.id, d.next_attempt_at, true from deliveries d
         where d.subscription_id = unfinished.subscription_id and d.state = 'retry_scheduled'
           and d.next_attempt_at <= now()
         order by d.next_attempt_at
         limit greatest($4::integer - coalesce(under_way.deliveries, 0), 0))
      ) either
    ) oldest
    where coalesce(under_way.deliveries, 0) + oldest.number <= $4::integer
  ), candidates as materialized (
    select ranked.id
    from (
      select due.id, due.place, row_number() over (order by due.place, due.next_attempt_at) as number from due
    ) ranked, all_under_way
    where ranked.number <= $1::integer
      and all_under_way.deliveries + ranked.number <= case ranked.place when 1 then $3::integer else $5::integer end
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
  select leased.id, leased.lease_id as "leaseId", now() as "leasedAt", leased.next_attempt_at as "leaseExpiresAt",
    leased.lease_expired as "previousLeaseExpired", leased.attempts + 1 as attempt,
    s.id as "subscriptionId", s.url, s.url_version as "urlVersion",
    secret.version as "secretVersion", secret.sealed as "sealedSecret",
    event.id as "eventId", event.name as event, event.body, event.trace_parent as "traceParent", event.request_id as "requestId"
  from leased
  join subscriptions s on s.id = leased.subscription_id
  join subscription_secrets secret on secret.subscription_id = s.id and secret.version = s.secret_version
  join events event on event.id = leased.event_id`;

/**
 * Takes due deliveries, first those of the subscriptions that have the least under way, and gives each a new lease that ends after `leaseSeconds`; what has no result by
 * then is due again. Due and lease go by the database's clock, so that replicas agree whatever their own clocks say. No two
 * calls, in whatever process, take the same delivery during one lease. What belongs to a paused subscription becomes held,
 * tests excepted.
 */
export function claimDue(database: Queryable, limits: ClaimLimits): Promise<readonly ClaimedDelivery[]> {
  return database.query<ClaimedDelivery>(CLAIM, [
    limits.batchSize,
    limits.leaseSeconds,
    limits.inFlight,
    limits.subscriptionCap,
    limits.inFlight - Math.floor(limits.inFlight * KEPT_FOR_FIRST),
  ]);
}

/** A lease on a delivery. */
export type Lease = Pick<ClaimedDelivery, 'id' | 'leaseId'>;

/**
 * Gives back leases under which nothing was sent: the deliveries are due again after `afterMs`, with the attempts that they
 * had. A lease that has ended or been settled meanwhile is left alone.
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
     update deliveries set lease_id = null, next_attempt_at = now() + make_interval(secs => $3::double precision / 1000)
     from locked where deliveries.id = locked.id`,
    [leases.map((lease) => lease.id), leases.map((lease) => lease.leaseId), afterMs],
  );
}
