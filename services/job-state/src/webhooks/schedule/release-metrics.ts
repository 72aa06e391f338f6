import { Counter, Histogram, type Registry } from 'prom-client';
import type { Database } from '../../database/database.js';
import { measuredGauge } from '../../database/measured-gauge.js';
import { FAILING_AFTER, sharedSlotsOf } from './claim-due.js';

export type ReleaseMetrics = ReturnType<typeof createReleaseMetrics>;

type Measurable = Pick<Database, 'query'>;

/** The endpoint states that label the age of due deliveries. */
const ENDPOINT_STATES = ['healthy', 'busy', 'failing'] as const;
type EndpointState = (typeof ENDPOINT_STATES)[number];

/** Timeout of a measurement, so that it does not load a database that is already slow. */
const MEASUREMENT_MS = 3_000;
/** Subscriptions with a backlog that a measurement inspects: its duration grows with their number. */
const SUBSCRIPTIONS_MEASURED = 5_000;

/** Metrics of releasing due deliveries. The age of due deliveries is queried from the database, at most every 10 s. */
export function createReleaseMetrics(
  metrics: Registry,
  database: Measurable,
  options: {
    /** Maximum number of deliveries in flight at once. */
    readonly inFlight: number;
    /** Slots of one subscription. */
    readonly subscriptionCap: number;
  },
) {
  measuredGauge({
    name: 'partner_webhook_oldest_due_seconds',
    help: 'Age of the oldest due delivery, 0 without one: to endpoints that have failed five times in a row (failing), to endpoints at capacity, with half of their slots in use while others have free slots (busy), and to all others (healthy). A delivery that the dispatcher received but did not report is due from the end of its first lease, and never counts as busy.',
    label: { name: 'endpoint_state', values: ENDPOINT_STATES },
    metrics,
    measure: () => oldestDueSeconds(database, options),
  });
  measuredGauge({
    name: 'partner_webhook_failing_endpoints',
    help: 'Active subscriptions whose last five attempts, or more, failed. All of them together have half of the slots.',
    metrics,
    measure: () => failingEndpoints(database),
  });
  return {
    batchSize: new Histogram({
      name: 'partner_webhook_release_batch_size',
      help: 'Deliveries per released batch, without empty batches.',
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      registers: [metrics],
    }),
    leaseExpiries: new Counter({
      name: 'partner_webhook_lease_expiries_total',
      help: 'Released deliveries whose lease expired without a result.',
      registers: [metrics],
    }),
    failedReleases: new Counter({
      name: 'partner_webhook_failed_releases_total',
      help: 'Deliveries that the broker did not accept; they are due again.',
      registers: [metrics],
    }),
  };
}

async function failingEndpoints(database: Measurable): Promise<number> {
  const [row] = await database.query<{ failing: number }>(
    `select count(*)::integer as failing from subscriptions
     where failures_in_row >= $1 and state = 'active' and deleted_at is null`,
    [FAILING_AFTER],
    { timeoutMs: MEASUREMENT_MS },
  );
  return row?.failing ?? 0;
}

/**
 * The oldest waiting delivery of each subscription, and all overdue deliveries, waiting or with the dispatcher again.
 *
 * The indexes begin with the oldest one, so the cost does not depend on the backlog.
 */
async function oldestDueSeconds(
  database: Measurable,
  { inFlight, subscriptionCap }: { readonly inFlight: number; readonly subscriptionCap: number },
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ state: EndpointState; age: number }>(
    `with recursive first (subscription_id, next_attempt_at) as (
       (select subscription_id, next_attempt_at from deliveries where state = 'pending' and lease_id is null
        order by subscription_id, next_attempt_at limit 1)
       union all
       select following.* from first cross join lateral (
         select d.subscription_id, d.next_attempt_at from deliveries d
         where d.state = 'pending' and d.lease_id is null and d.subscription_id > first.subscription_id
         order by d.subscription_id, d.next_attempt_at limit 1
       ) following
     ), retry (subscription_id, next_attempt_at) as (
       (select subscription_id, next_attempt_at from deliveries where state = 'retry_scheduled' and lease_id is null
        order by subscription_id, next_attempt_at limit 1)
       union all
       select following.* from retry cross join lateral (
         select d.subscription_id, d.next_attempt_at from deliveries d
         where d.state = 'retry_scheduled' and d.lease_id is null and d.subscription_id > retry.subscription_id
         order by d.subscription_id, d.next_attempt_at limit 1
       ) following
     ), waiting as materialized (
       (select * from first limit $2) union all (select * from retry limit $2)
     ), under_way as materialized (
       select subscription_id, count(*) as deliveries from deliveries where lease_id is not null and next_attempt_at > now()
       group by 1
     ), due (subscription_id, since, is_busy) as (
       select waiting.subscription_id, waiting.next_attempt_at, coalesce(under_way.deliveries, 0) >= $3 / 2.0
         and (select sum(deliveries) from under_way) < $4
       from waiting left join under_way on under_way.subscription_id = waiting.subscription_id
       where waiting.next_attempt_at <= now()
       union all
       (select subscription_id, overdue_since, false from deliveries
        where overdue_since is not null and state <> 'held'
          and (lease_id is not null or next_attempt_at <= now() + interval '5 seconds')
        order by overdue_since limit $2)
     )
     select case when s.failures_in_row >= $1 then 'failing' when due.is_busy then 'busy' else 'healthy' end as state,
       extract(epoch from now() - min(due.since))::double precision as age
     from due join subscriptions s on s.id = due.subscription_id
     group by 1`,
    [FAILING_AFTER, SUBSCRIPTIONS_MEASURED, subscriptionCap, sharedSlotsOf(inFlight)],
    { timeoutMs: MEASUREMENT_MS },
  );
  return new Map(
    ENDPOINT_STATES.map((state) => [state, rows.find((row) => row.state === state)?.age ?? 0] as const),
  );
}
