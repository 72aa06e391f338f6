import { hasSlot, inFlightBySubscription, isFailing } from '../deliveries/claim-rule.js';
import {
  before,
  dueAt,
  isDue,
  isNext,
  isWaiting,
  leaseFor,
  setDueAt,
} from '../deliveries/delivery-columns.js';
import { leasedColumns, leasedEventColumns } from '../deliveries/leased-delivery.js';

/** One slot in this many of a subscription is reserved for retries while any are due. */
const SLOTS_PER_RETRY = 4;

/**
 * The share of a second whose worth of deliveries a subscription with a rate can start at once. A poll every 200 ms then keeps the
 * rate.
 */
const BURST_SECONDS = 0.25;

/** Deliveries of an ordered subscription that one claim looks at, to move those out of the way that wait, and for how long it does. */
const LOOKED_AT = 200;
const LOOKS_AGAIN = '5 minutes';

const oldestDue = (state: 'pending' | 'retry_scheduled') => `(
      select d.* from deliveries d where d.subscription_id = free.id and ${isWaiting('d', state)} and ${isDue('d')}
      order by ${dueAt('d')} limit ${LOOKED_AT}
    )`;

/**
 * Inspects due deliveries per subscription, so neither the size of a backlog nor a slow endpoint delays the others:
 *
 * - `in_flight` counts the leases that have not ended, of which there are few; `of_companies` and `all_in_flight` add them up;
 * - `limited` locks the subscriptions with a rate and counts the deliveries that can start now. `next_delivery_at` is when the
 *   next one starts if the rate is kept exactly. One that another replica has locked starts none now;
 * - `free` is the number of free slots of each subscription, at most those of its rate, and how many of them are reserved for
 *   retries: a quarter of its cap, less the retries in flight;
 * - `due` takes as many due deliveries of each as it has free slots, the oldest first. Retries alternate with first attempts in
 *   the reserved slots, and follow them otherwise;
 * - `of_kind` numbers them per company, those to failing endpoints apart;
 * - `admitted` drops deliveries to failing endpoints beyond their share of all slots or of their company's. Companies with the
 *   fewest of these in flight come first. A failing endpoint keeps its cap, and so its retry schedule. All failing endpoints
 *   together leave the other slots to healthy endpoints, however long each attempt hangs;
 * - `ranked` numbers the rest per company, failing endpoints last in each round. A delivery's rank is the number of its
 *   company's deliveries then in flight, divided by the company's weight;
 * - `numbered` puts the lowest ranks first, and companies with nothing in flight before all others;
 * - `candidates` are the first ones, as many as there are free slots. The last quarter of the slots is reserved for companies with
 *   nothing in flight;
 * - `waiting` moves due deliveries that wait for an earlier one about the same resource out of the way. The end of that one makes them
 *   due; if it is withdrawn, they look again after a while. One stays if it has become due since the snapshot, which is another time,
 *   or if what it waits for is just ending, and so locked;
 * - `spent` moves `next_delivery_at` by the deliveries that start;
 * - `leased` leases them. Rows that another replica is leasing are skipped, or fail the second check of their due time.
 *
 * Each step reads through one index whatever the planner's statistics say. The table is empty now and full a minute later, and
 * each connection plans the statement once.
 *
 * The bounds count the leases of this statement's snapshot: replicas that claim at the same instant can together exceed them.
 */
export const CLAIM = {
  name: 'claim-due',
  text: `
  with in_flight as materialized (${inFlightBySubscription(`, (count(*) filter (where d.state = 'retry_scheduled'))::integer as retries`)}
  ), of_companies as materialized (
    select in_flight.company_id, sum(in_flight.deliveries)::integer as deliveries,
      coalesce(sum(in_flight.deliveries) filter (where endpoint.is_failing), 0)::integer as failing
    from in_flight
    cross join lateral (
      select ${isFailing('s')} as is_failing from subscriptions s
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
    select s.id, s.company_id, s.ordered, s.state = 'active' as is_active, ${isFailing('s')} as is_failing,
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
      select either.id, either.due_at, row_number() over (order by either.round, either.due_at) as round
      from (
        select first.*, row_number() over (order by first.due_at)::double precision as round
        from (
          select d.id, ${dueAt('d')} as due_at from deliveries d
          where d.subscription_id = free.id and ${isWaiting('d', 'pending')} and ${isDue('d')}
            and (free.is_active or d.is_test) and (not free.ordered or ${isNext('d')})
          order by ${dueAt('d')} limit free.slots
        ) first
        union all
        select numbered.id, numbered.due_at,
          case when numbered.number <= free.reserved_for_retries then numbered.number - 0.5 else 1e9 + numbered.number end
        from (
          select retry.*, row_number() over (order by retry.due_at) as number
          from (
            select d.id, ${dueAt('d')} as due_at from deliveries d
            where d.subscription_id = free.id and ${isWaiting('d', 'retry_scheduled')}
              and ${isDue('d')} and (free.is_active or d.is_test) and (not free.ordered or ${isNext('d')})
            order by ${dueAt('d')} limit free.slots
          ) retry
        ) numbered
      ) either
      order by either.round, either.due_at
      limit free.slots
    ) oldest
    where free.slots > 0
  ), of_kind as (
    select due.*, coalesce(of_companies.deliveries, 0) as company_in_flight,
      coalesce(of_companies.failing, 0)
        + row_number() over (partition by due.is_failing, due.company_id order by due.round, due.due_at) as failing_of_company
    from due left join of_companies on of_companies.company_id = due.company_id
  ), admitted as (
    select counted.* from (
      select of_kind.*,
        row_number() over (partition by is_failing order by failing_of_company, due_at) as failing_of_all
      from of_kind
    ) counted, all_in_flight
    where not counted.is_failing
      or counted.failing_of_company <= $8::integer and all_in_flight.failing + counted.failing_of_all <= $7::integer
  ), ranked as (
    select admitted.id, admitted.due_at,
      admitted.company_in_flight + row_number() over (
        partition by admitted.company_id order by admitted.round, admitted.is_failing, admitted.due_at
      ) as of_company,
      c.delivery_weight
    from admitted
    join companies c on c.id = admitted.company_id
  ), numbered as (
    select ranked.id, ranked.of_company,
      row_number() over (
        order by ranked.of_company > 1, ranked.of_company::double precision / ranked.delivery_weight, ranked.due_at
      ) as number
    from ranked where ranked.of_company <= $6::integer
  ), candidates as materialized (
    select numbered.id, numbered.number from numbered, all_in_flight
    where numbered.number <= $1::integer
      and ${hasSlot('all_in_flight.deliveries + numbered.number', 'numbered.of_company', '$3::integer', '$5::integer')}
  ), leased as (
    update deliveries set ${leaseFor('$2')}
    from (
      select taken.id from candidates
      cross join lateral (
        select d.id, d.subscription_id, d.is_test from deliveries d
        where d.id = candidates.id
          and d.state in ('pending', 'retry_scheduled') and d.lease_id is null and ${isDue('d')}
        for update skip locked
      ) taken
      where exists (
        select from subscriptions s
        where s.id = taken.subscription_id and s.deleted_at is null and (s.state = 'active' or taken.is_test)
      )
    ) takeable
    where deliveries.id = takeable.id
    returning deliveries.*
  ), blocked as materialized (
    select d.* from free
    cross join lateral (${oldestDue('pending')} union all ${oldestDue('retry_scheduled')}) d
    where free.ordered and not ${isNext('d')}
  ), waiting as (
    update deliveries set ${setDueAt(`now() + interval '${LOOKS_AGAIN}'`)}
    from (
      select d.id from blocked
      cross join lateral (${before('blocked', 'b.id')} limit 1 for key share of b skip locked) earlier
      join deliveries d on d.id = blocked.id
      where ${dueAt('d')} = ${dueAt('blocked')} and d.lease_id is null
      for no key update of d skip locked
    ) still
    where deliveries.id = still.id
  ), spent as (
    update subscriptions s
    set next_delivery_at = greatest(s.next_delivery_at, now()) + make_interval(secs => started.deliveries::double precision / limited.deliveries_per_second)
    from limited
    cross join lateral (select count(*) as deliveries from leased where leased.subscription_id = limited.id) started
    where s.id = limited.id and started.deliveries > 0
  )
  select ${leasedColumns('leased')}, ${leasedEventColumns('event')}
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
