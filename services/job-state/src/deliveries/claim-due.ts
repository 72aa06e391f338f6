import type { PreparedStatement, Queryable } from '../database/database.js';

/** One delivery that may be attempted now, with all that its attempt needs. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly leaseId: string;
  /** By the database's clock. */
  readonly leasedAt: Date;
  /** By the database's clock. */
  readonly leaseExpiresAt: Date;
  /** The number of the attempt to make, from 1. */
  readonly attempt: number;
  readonly subscriptionId: string;
  /** True when the attempt before it, of whatever delivery of the subscription, failed. */
  readonly isFailing: boolean;
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
  /** Deliveries of one company that are under way at once, at most; by default as many as of all. */
  readonly companyCap?: number;
}

/** The part of what may be under way that is kept for companies that have nothing under way. */
const KEPT_FOR_FIRST = 0.25;
/** One of so many places of a subscription is kept for retries while any are due. */
const PLACES_PER_RETRY = 4;

/** Failed attempts in a row that open a subscription's breaker: from then on one attempt at a time, until one is delivered. */
export const BREAKER_FAILURES = 5;

/** How much of what may be under way is for whoever has something under way already. */
export function sharedPlacesOf(inFlight: number): number {
  return inFlight - Math.floor(inFlight * KEPT_FOR_FIRST);
}

/** Hops through an index from one subscription with waiting deliveries to the next. */
function hop(state: 'pending' | 'retry_scheduled'): PreparedStatement {
  const waiting = `select d.subscription_id from deliveries d where d.state = '${state}' and d.lease_id is null`;
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
 * Lists subscriptions that have first attempts (`pending`) or retries waiting, due or not, in ascending order of id from
 * behind a given one on.
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
 * What is due is looked for per subscription, so that neither the backlog of one that is slow nor its size stands in the
 * way of the others:
 *
 * - `under_way` counts the leases that have not ended, of which there are few;
 * - `caps` is what each subscription may have: its cap, or a single probe while its breaker is open;
 * - `room` is what it may still have, and how many of that are kept for retries: a quarter of its cap, less the retries that
 *   are under way; of a single place by chance;
 * - `due` takes as many due deliveries of each as it has room for, the oldest first. Retries take turns with first attempts
 *   as far as places are kept for them, and come behind them otherwise;
 * - `ranked` counts them through per company, those with an open breaker last in each turn: a delivery's place is how many of
 *   its company are then under way, divided by the company's weight;
 * - `candidates` are those with the lowest places, as many as there is room for: whoever has the least under way comes first,
 *   before all others companies with nothing under way. The last quarter of the room is for these alone, so that many that
 *   hang do not fill it;
 * - `leased` takes them. Rows that another replica is taking are skipped, or fail the second look at their due time.
 *
 * Each step reads through one index whatever the planner believes of the table, which is empty now and full a minute later:
 * the plan is made once a connection.
 *
 * The bounds count the leases of this statement's snapshot: replicas that claim in the same instant can together exceed them.
 */
const CLAIM = {
  name: 'claim-due',
  text: `
  with under_way as materialized (
    select d.subscription_id, d.company_id, count(*)::integer as deliveries,
      (count(*) filter (where d.state = 'retry_scheduled'))::integer as retries
    from deliveries d
    where d.lease_id is not null and d.next_attempt_at > now()
    group by d.subscription_id, d.company_id
  ), of_companies as materialized (
    select company_id, sum(deliveries)::integer as deliveries from under_way group by company_id
  ), all_under_way as materialized (
    select coalesce(sum(deliveries), 0)::integer as deliveries from under_way
  ), caps as (
    select s.id, s.company_id, s.state = 'active' as is_active, s.failures_in_row >= ${BREAKER_FAILURES} as is_open,
      case when s.failures_in_row >= ${BREAKER_FAILURES} then 1 else $4::integer end as cap
    from subscriptions s where s.id = any($7::text[]) and s.deleted_at is null
  ), room as materialized (
    select caps.*, caps.cap - coalesce(under_way.deliveries, 0) as deliveries,
      case caps.cap
        when 1 then (random() * ${PLACES_PER_RETRY} < 1)::integer
        else greatest(caps.cap / ${PLACES_PER_RETRY}, 1) - coalesce(under_way.retries, 0)
      end as kept_for_retries
    from caps
    left join under_way on under_way.subscription_id = caps.id
  ), due as (
    select oldest.*, room.company_id, room.is_open
    from room
    cross join lateral (
      select either.id, either.next_attempt_at, row_number() over (order by either.turn, either.next_attempt_at) as turn
      from (
        select first.*, row_number() over (order by first.next_attempt_at)::double precision as turn
        from (
          select d.id, d.next_attempt_at from deliveries d
          where d.subscription_id = room.id and d.state = 'pending' and d.lease_id is null and d.next_attempt_at <= now()
            and (room.is_active or d.is_test)
          order by d.next_attempt_at limit room.deliveries
        ) first
        union all
        select numbered.id, numbered.next_attempt_at,
          case when numbered.number <= room.kept_for_retries then numbered.number - 0.5 else 1e9 + numbered.number end
        from (
          select retry.*, row_number() over (order by retry.next_attempt_at) as number
          from (
            select d.id, d.next_attempt_at from deliveries d
            where d.subscription_id = room.id and d.state = 'retry_scheduled' and d.lease_id is null
              and d.next_attempt_at <= now() and (room.is_active or d.is_test)
            order by d.next_attempt_at limit room.deliveries
          ) retry
        ) numbered
      ) either
      order by either.turn, either.next_attempt_at
      limit room.deliveries
    ) oldest
    where room.deliveries > 0
  ), ranked as (
    select due.id, due.next_attempt_at,
      coalesce(of_companies.deliveries, 0)
        + row_number() over (partition by due.company_id order by due.turn, due.is_open, due.next_attempt_at) as of_company,
      c.delivery_weight
    from due
    join companies c on c.id = due.company_id
    left join of_companies on of_companies.company_id = due.company_id
  ), numbered as (
    select ranked.id, ranked.of_company,
      row_number() over (
        order by ranked.of_company > 1, ranked.of_company::double precision / ranked.delivery_weight, ranked.next_attempt_at
      ) as number
    from ranked where ranked.of_company <= $6::integer
  ), candidates as materialized (
    select numbered.id, numbered.number from numbered, all_under_way
    where numbered.number <= $1::integer
      and all_under_way.deliveries + numbered.number <= case numbered.of_company when 1 then $3::integer else $5::integer end
  ), leased as (
    update deliveries set lease_id = gen_random_uuid()::text, next_attempt_at = now() + make_interval(secs => $2)
    from (
      select taken.id from candidates
      cross join lateral (
        select d.id, d.subscription_id, d.is_test from deliveries d
        where d.id = candidates.id
          and d.state in ('pending', 'retry_scheduled') and d.lease_id is null and d.next_attempt_at <= now()
        for update skip locked
      ) taken
      where exists (
        select from subscriptions s
        where s.id = taken.subscription_id and s.deleted_at is null and (s.state = 'active' or taken.is_test)
      )
    ) takeable
    where deliveries.id = takeable.id
    returning deliveries.*
  )
  select leased.id, leased.lease_id as "leaseId", now() as "leasedAt", leased.next_attempt_at as "leaseExpiresAt",
    leased.attempts + 1 as attempt,
    s.id as "subscriptionId", s.failures_in_row > 0 as "isFailing", s.url, s.url_version as "urlVersion",
    secret.version as "secretVersion", secret.sealed as "sealedSecret",
    leased.event_id as "eventId", leased.event, event.body, event.trace_parent as "traceParent",
    event.request_id as "requestId"
  from leased
  join subscriptions s on s.id = leased.subscription_id
  cross join lateral (
    select version, sealed from subscription_secrets
    where subscription_id = s.id and version in (leased.secret_version, s.secret_version)
    order by version = leased.secret_version desc nulls last limit 1
  ) secret
  cross join lateral (select e.body, e.trace_parent, e.request_id from events e where e.id = leased.event_id limit 1) event
  join candidates on candidates.id = leased.id
  order by candidates.number`,
};

/**
 * Takes due deliveries of the given subscriptions, first those of the companies that have the least under way for their
 * weight, and gives each a new lease that ends after `leaseSeconds`. Due and lease go by the database's clock, so that
 * replicas agree whatever their own clocks say. No two calls, in whatever process, take the same delivery during one lease.
 * Of a paused subscription only tests are taken, of a deleted one nothing. They come in the order of their turns.
 */
export async function claimDue(
  database: Queryable,
  limits: ClaimLimits & { readonly subscriptionIds: readonly string[] },
): Promise<readonly ClaimedDelivery[]> {
  if (limits.subscriptionIds.length === 0) return [];
  const { inFlight, companyCap = inFlight } = limits;
  return database.query<ClaimedDelivery>(CLAIM, [
    limits.batchSize,
    limits.leaseSeconds,
    inFlight,
    limits.subscriptionCap,
    sharedPlacesOf(inFlight),
    companyCap,
    limits.subscriptionIds,
  ]);
}

/** Leases that are ended at once, at most. */
const EXPIRED_AT_ONCE = 1_000;

/**
 * Ends leases that have run out without a result: their deliveries are due again, with the attempts that they had, and
 * overdue from the end of the first such lease on, unless a former lease's result has come meanwhile. Gives how many there
 * were.
 */
export async function endExpiredLeases(database: Queryable): Promise<number> {
  const ended = await database.query(
    `update deliveries set lease_id = null, not_before = null, next_attempt_at = greatest(next_attempt_at, not_before),
       overdue_since = case when not_before is null then coalesce(overdue_since, next_attempt_at) end
     from (
       select d.id from deliveries d where d.lease_id is not null and d.next_attempt_at <= now()
       order by d.next_attempt_at limit $1 for update skip locked
     ) expired
     where deliveries.id = expired.id
     returning deliveries.id`,
    [EXPIRED_AT_ONCE],
  );
  return ended.length;
}

/** A lease on a delivery. */
export type Lease = Pick<ClaimedDelivery, 'id' | 'leaseId'>;

/**
 * Gives back leases under which nothing was sent: the deliveries are due again after `afterMs`, with the attempts that they
 * had, and overdue from the first time on. A lease that has ended or been settled meanwhile is left alone.
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
       next_attempt_at = greatest(now() + make_interval(secs => $3::double precision / 1000), not_before),
       overdue_since = case when not_before is null then coalesce(overdue_since, now()) end
     from locked where deliveries.id = locked.id`,
    [leases.map((lease) => lease.id), leases.map((lease) => lease.leaseId), afterMs],
  );
}
