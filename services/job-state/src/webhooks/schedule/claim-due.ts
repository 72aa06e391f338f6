import { HEADERS_VERSION } from '@partner/kernel/secret-sealing';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/resources/subscription/subscription';
import type { LeasedDelivery } from '../../database/after-commit.js';
import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Queryable } from '../../database/database.js';

/** Limits of a claim: how many deliveries and for how long. */
export interface ClaimLimits {
  readonly batchSize: number;
  readonly leaseSeconds: number;
  /** Slots: maximum number of deliveries in flight at once, across all companies. */
  readonly inFlight: number;
  /** Slots of one subscription. At least 2, or a backlog of retries starves first attempts. */
  readonly subscriptionCap: number;
  /** Slots of one company; absent: all. */
  readonly companyCap?: number;
}

/** The share of all slots that is reserved for companies with nothing in flight. */
const RESERVED_FOR_FIRST = 0.25;
/** The share of all slots, and of a company's slots, that all failing endpoints have together. */
const FAILING_SHARE = 0.5;
/** One slot in this many of a subscription is reserved for retries while any are due. */
const SLOTS_PER_RETRY = 4;

/** After this many consecutive failed attempts an endpoint is failing, until an attempt is delivered. */
export const FAILING_AFTER = WEBHOOK_LIMITS.failingAfter;

/** Slots available to companies that already have deliveries in flight. */
export function sharedSlotsOf(inFlight: number): number {
  return inFlight - Math.floor(inFlight * RESERVED_FOR_FIRST);
}

function failingSlotsOf(slots: number): number {
  return Math.max(1, Math.floor(slots * FAILING_SHARE));
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
 * The share of a second whose worth of deliveries a subscription with a rate can start at once. A poll every 200 ms then keeps the
 * rate.
 */
const BURST_SECONDS = 0.25;

/** The sealed custom headers of a subscription `s`; null without any. */
export const SEALED_HEADERS = `case when s.header_names <> '{}' then (
      select headers.sealed from subscription_secrets headers where headers.subscription_id = s.id and headers.version = ${HEADERS_VERSION}
    ) end`;

/**
 * Inspects due deliveries per subscription, so neither the size of a backlog nor a slow endpoint delays the others:
 *
 * - `in_flight` counts the leases that have not ended, of which there are few;
 * - `limited` locks the subscriptions with a rate and counts the deliveries that can start now. `next_delivery_at` is when the
 *   next one starts if the rate is kept exactly. One that another replica has locked starts none now;
 * - `free` is the number of free slots of each subscription, at most those of its rate, and how many of them are reserved for retries: a quarter of its
 *   cap, less the retries in flight;
 * - `due` takes as many due deliveries of each as it has free slots, the oldest first. Retries alternate with first attempts in
 *   the reserved slots, and follow them otherwise;
 * - `admitted` drops deliveries to failing endpoints beyond their share of all slots or of their company's. Companies with the
 *   fewest of these in flight come first. A failing endpoint keeps its cap, and so its retry schedule. All failing endpoints
 *   together leave the other slots to healthy endpoints, however long each attempt hangs;
 * - `ranked` numbers the rest per company, failing endpoints last in each round. A delivery's rank is the number of its
 *   company's deliveries then in flight, divided by the company's weight;
 * - `candidates` are the deliveries with the lowest ranks, as many as there are free slots. Companies with the least in flight
 *   come first, and companies with nothing in flight before all others. The last quarter of the slots is reserved for these;
 * - `spent` moves `next_delivery_at` by the deliveries that start;
 * - `leased` leases them. Rows that another replica is leasing are skipped, or fail the second check of their due time.
 *
 * Each step reads through one index whatever the planner's statistics say. The table is empty now and full a minute later, and
 * each connection plans the statement once.
 *
 * The bounds count the leases of this statement's snapshot: replicas that claim at the same instant can together exceed them.
 */
const CLAIM = {
  name: 'claim-due',
  text: `
  with in_flight as materialized (
    select d.subscription_id, d.company_id, count(*)::integer as deliveries,
      (count(*) filter (where d.state = 'retry_scheduled'))::integer as retries
    from deliveries d
    where d.lease_id is not null and d.next_attempt_at > now()
    group by d.subscription_id, d.company_id
  ), of_companies as materialized (
    select in_flight.company_id, sum(in_flight.deliveries)::integer as deliveries,
      coalesce(sum(in_flight.deliveries) filter (where endpoint.is_failing), 0)::integer as failing
    from in_flight
    cross join lateral (
      select s.failures_in_row >= ${FAILING_AFTER} as is_failing from subscriptions s
      where s.id = in_flight.subscription_id limit 1
    ) endpoint
    group by in_flight.company_id
  ), all_in_flight as materialized (
    select coalesce(sum(deliveries), 0)::integer as deliveries, coalesce(sum(failing), 0)::integer as failing
    from of_companies
  ), limited as materialized (
    select s.id, s.deliveries_per_second,
      floor(
        (${BURST_SECONDS} - greatest(extract(epoch from s.next_delivery_at - now()), 0)) * s.deliveries_per_second + 1
      )::integer as slots
    from subscriptions s
    where s.id = any($9::text[]) and s.deliveries_per_second is not null
    for no key update of s skip locked
  ), free as materialized (
    select s.id, s.company_id, s.state = 'active' as is_active, s.failures_in_row >= ${FAILING_AFTER} as is_failing,
      least(
        $4::integer - coalesce(in_flight.deliveries, 0),
        case when s.deliveries_per_second is not null then coalesce(limited.slots, 0) end
      ) as slots,
      greatest($4::integer / ${SLOTS_PER_RETRY}, 1) - coalesce(in_flight.retries, 0) as reserved_for_retries
    from subscriptions s
    left join in_flight on in_flight.subscription_id = s.id
    left join limited on limited.id = s.id
    where s.id = any($9::text[]) and s.deleted_at is null
  ), due as (
    select oldest.*, free.company_id, free.is_failing
    from free
    cross join lateral (
      select either.id, either.next_attempt_at, row_number() over (order by either.round, either.next_attempt_at) as round
      from (
        select first.*, row_number() over (order by first.next_attempt_at)::double precision as round
        from (
          select d.id, d.next_attempt_at from deliveries d
          where d.subscription_id = free.id and d.state = 'pending' and d.lease_id is null and d.next_attempt_at <= now()
            and (free.is_active or d.is_test)
          order by d.next_attempt_at limit free.slots
        ) first
        union all
        select numbered.id, numbered.next_attempt_at,
          case when numbered.number <= free.reserved_for_retries then numbered.number - 0.5 else 1e9 + numbered.number end
        from (
          select retry.*, row_number() over (order by retry.next_attempt_at) as number
          from (
            select d.id, d.next_attempt_at from deliveries d
            where d.subscription_id = free.id and d.state = 'retry_scheduled' and d.lease_id is null
              and d.next_attempt_at <= now() and (free.is_active or d.is_test)
            order by d.next_attempt_at limit free.slots
          ) retry
        ) numbered
      ) either
      order by either.round, either.next_attempt_at
      limit free.slots
    ) oldest
    where free.slots > 0
  ), of_kind as (
    select due.*, coalesce(of_companies.deliveries, 0) as company_in_flight,
      coalesce(of_companies.failing, 0)
        + row_number() over (partition by due.is_failing, due.company_id order by due.round, due.next_attempt_at) as failing_of_company
    from due left join of_companies on of_companies.company_id = due.company_id
  ), admitted as (
    select counted.* from (
      select of_kind.*,
        row_number() over (partition by is_failing order by failing_of_company, next_attempt_at) as failing_of_all
      from of_kind
    ) counted, all_in_flight
    where not counted.is_failing
      or counted.failing_of_company <= $8::integer and all_in_flight.failing + counted.failing_of_all <= $7::integer
  ), ranked as (
    select admitted.id, admitted.next_attempt_at,
      admitted.company_in_flight + row_number() over (
        partition by admitted.company_id order by admitted.round, admitted.is_failing, admitted.next_attempt_at
      ) as of_company,
      c.delivery_weight
    from admitted
    join companies c on c.id = admitted.company_id
  ), numbered as (
    select ranked.id, ranked.of_company,
      row_number() over (
        order by ranked.of_company > 1, ranked.of_company::double precision / ranked.delivery_weight, ranked.next_attempt_at
      ) as number
    from ranked where ranked.of_company <= $6::integer
  ), candidates as materialized (
    select numbered.id, numbered.number from numbered, all_in_flight
    where numbered.number <= $1::integer
      and all_in_flight.deliveries + numbered.number <= case numbered.of_company when 1 then $3::integer else $5::integer end
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
  ), spent as (
    update subscriptions s
    set next_delivery_at = greatest(s.next_delivery_at, now()) + make_interval(secs => started.deliveries::double precision / limited.deliveries_per_second)
    from limited
    cross join lateral (select count(*) as deliveries from leased where leased.subscription_id = limited.id) started
    where s.id = limited.id and started.deliveries > 0
  )
  select leased.id, leased.lease_id as "leaseId", now() as "leasedAt", leased.next_attempt_at as "leaseExpiresAt",
    leased.attempts + 1 as attempt,
    s.id as "subscriptionId", s.failures_in_row > 0 as "lastAttemptFailed", coalesce(leased.test_url, s.url) as url, s.url_version as "urlVersion",
    case when leased.wrong_secret is null then secret.version else leased.secret_version end as "secretVersion",
    coalesce(leased.wrong_secret, secret.sealed) as "sealedSecret",
    case when leased.test_url is null then ${SEALED_HEADERS} else leased.test_headers end as "sealedHeaders",
    leased.event_id as "eventId", leased.event, leased.is_test as "isTest", leased.number, event.body, event.trace_parent as "traceParent",
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

/** Maximum number of leases that one call ends. */
const EXPIRED_AT_ONCE = 1_000;

/**
 * Ends leases that expired without a result and returns their number.
 *
 * Their deliveries are due again with an unchanged attempt count. They are overdue since the end of the first such lease,
 * unless a result of a former lease has arrived meanwhile.
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
       next_attempt_at = greatest(now() + make_interval(secs => $3::double precision / 1000), not_before),
       overdue_since = case when not_before is null then coalesce(overdue_since, now()) end
     from locked where deliveries.id = locked.id`,
    [leases.map((lease) => lease.id), leases.map((lease) => lease.leaseId), afterMs],
  );
}
