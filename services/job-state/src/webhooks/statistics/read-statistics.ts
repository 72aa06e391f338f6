import { WAITING_COUNTED } from '@partner/proto-contracts/api/limits';
import type { Queryable } from '../../database/database.js';
import { dueAt, isWaiting } from '../deliveries/delivery-columns.js';
import { getSubscription, type SubscriptionOfCompany } from '../subscriptions/get-subscription.js';
import { DURATION_SLOTS, type DurationHistogram, sumOfHistograms } from './duration-histogram.js';
import { type BucketedSpan, bucketsOf, type StatisticsSpan } from './statistics-span.js';

/** Outcomes of attempts. */
export interface AttemptCounts {
  readonly delivered: number;
  readonly failed: number;
  readonly deadLettered: number;
  /** Durations of all attempts. */
  readonly durations: DurationHistogram;
}

/** The attempts that began within one bucket: at least one. */
interface CountedBucket extends AttemptCounts {
  readonly startsAt: Date;
}

/** Attempts in a span. */
export interface Statistics {
  readonly bucketMinutes: BucketedSpan['bucketMinutes'];
  /** Buckets with attempts, oldest first. */
  readonly buckets: readonly CountedBucket[];
  readonly totals: AttemptCounts;
}

/** Numbers of waiting deliveries of a subscription, each counted up to {@link WAITING_COUNTED}. */
interface WaitingCounts {
  readonly retrying: number;
  readonly held: number;
}

/** Attempts to one of the subscriptions of a company in a span. */
interface SubscriptionTotals {
  readonly subscriptionId: string;
  readonly totals: AttemptCounts;
  /** Steps with attempts, oldest first. */
  readonly trend: readonly (Pick<AttemptCounts, 'delivered' | 'failed'> & { readonly startsAt: Date })[];
}

/** Attempts to all subscriptions of a company in a span. */
export interface CompanyStatistics extends Statistics {
  readonly trendMinutes: BucketedSpan['trendMinutes'];
  /** Of each, oldest first. */
  readonly subscriptions: readonly (SubscriptionTotals & WaitingCounts)[];
}

/** All numbers are double precision: sums never grow large enough to be rounded. */
const SUMS = `sum(delivered)::float8 as delivered, sum(failed)::float8 as failed,
  sum(dead_lettered)::float8 as "deadLettered",
  array[${Array.from({ length: DURATION_SLOTS }, (_, slot) => `sum(durations[${slot + 1}])::float8`).join(', ')}] as durations`;

const STATISTICS = `
  select subscription_id as "subscriptionId", starts_at as "startsAt", step_at as "stepAt", ${SUMS}
  from (
    select subscription_id, date_bin(make_interval(mins => $4), starts_at, 'epoch') as starts_at,
      date_bin(make_interval(mins => $5), starts_at, 'epoch') as step_at,
      delivered, failed, dead_lettered, durations
    from delivery_statistics
    where subscription_id = any($1::text[]) and starts_at >= $2 and starts_at < $3
  ) as bucket
  group by grouping sets ((subscription_id), (starts_at), (subscription_id, step_at))
  order by starts_at, step_at`;

interface SummedRow extends AttemptCounts {
  /** Null in the sum of a bucket. */
  readonly subscriptionId: string | null;
  /** Null but in the sum of a bucket. */
  readonly startsAt: Date | null;
  /** Null but in the sum of a subscription's step. */
  readonly stepAt: Date | null;
}

/** Counts deliveries in a state through one index, ordered as it is. */
function waitingCount(condition: string, order: string): string {
  return `(
    select count(*)::integer from (
      select from deliveries d where d.subscription_id = s.id and ${condition} order by ${order} limit ${WAITING_COUNTED}
    ) counted
  )`;
}

/** The current subscriptions of a company, with their waiting deliveries. */
const SUBSCRIPTIONS = `
  select s.id, ${waitingCount(isWaiting('d', 'retry_scheduled'), dueAt('d'))} as retrying,
    ${waitingCount(`d.state = 'held'`, 'd.id')} as held
  from subscriptions s where s.company_id = $1 and s.deleted_at is null order by s.id`;

const NOTHING: AttemptCounts = {
  delivered: 0,
  failed: 0,
  deadLettered: 0,
  durations: Array.from({ length: DURATION_SLOTS }, () => 0),
};

/**
 * Reads the statistics of one subscription.
 *
 * Fails with `not_found` for a subscription that the company does not have or has deleted.
 */
export async function getSubscriptionStatistics(
  database: Queryable,
  subscription: SubscriptionOfCompany,
  span: StatisticsSpan,
): Promise<Statistics> {
  const buckets = bucketsOf(span);
  await getSubscription(database, subscription);
  const { subscriptions: _, ...statistics } = await statisticsOf(
    database,
    [subscription.subscriptionId],
    buckets,
  );
  return statistics;
}

/**
 * Reads the statistics of all current subscriptions of a company, and counts their waiting deliveries. Deleted subscriptions are not
 * included.
 */
export async function getCompanyStatistics(
  database: Queryable,
  companyId: string,
  span: StatisticsSpan,
): Promise<CompanyStatistics> {
  const buckets = bucketsOf(span);
  const waiting = await database.query<{ id: string } & WaitingCounts>(SUBSCRIPTIONS, [companyId]);
  const { subscriptions, ...statistics } = await statisticsOf(
    database,
    waiting.map(({ id }) => id),
    buckets,
  );
  const waitingById = new Map(waiting.map(({ id, retrying, held }) => [id, { retrying, held }]));
  return {
    ...statistics,
    trendMinutes: buckets.trendMinutes,
    subscriptions: subscriptions.map((each) => ({
      ...each,
      ...(waitingById.get(each.subscriptionId) ?? { retrying: 0, held: 0 }),
    })),
  };
}

/** One statement over the rows of the subscriptions, with the sums of each subscription, of its steps and of each bucket. */
async function statisticsOf(
  database: Queryable,
  subscriptionIds: readonly string[],
  { from, to, bucketMinutes, trendMinutes }: BucketedSpan,
): Promise<Statistics & { readonly subscriptions: readonly SubscriptionTotals[] }> {
  const rows = await database.query<SummedRow>(STATISTICS, [
    subscriptionIds,
    from,
    to,
    bucketMinutes,
    trendMinutes,
  ]);
  const bySubscription = new Map<string, SummedRow[]>();
  for (const row of rows) {
    if (row.subscriptionId === null) continue;
    const known = bySubscription.get(row.subscriptionId);
    if (known === undefined) bySubscription.set(row.subscriptionId, [row]);
    else known.push(row);
  }
  const subscriptions = subscriptionIds.map((subscriptionId) => {
    const own = bySubscription.get(subscriptionId) ?? [];
    const total = own.find(({ stepAt }) => stepAt === null);
    return {
      subscriptionId,
      totals: total === undefined ? NOTHING : countsOf(total),
      trend: own.flatMap(({ stepAt: startsAt, delivered, failed }) =>
        startsAt === null ? [] : [{ startsAt, delivered, failed }],
      ),
    };
  });
  return {
    bucketMinutes,
    buckets: rows.flatMap(({ startsAt, ...sums }) =>
      startsAt === null ? [] : [{ startsAt, ...countsOf(sums) }],
    ),
    totals: subscriptions.map(({ totals }) => totals).reduce(sumOfCounts, NOTHING),
    subscriptions,
  };
}

function countsOf({ delivered, failed, deadLettered, durations }: AttemptCounts): AttemptCounts {
  return { delivered, failed, deadLettered, durations };
}

function sumOfCounts(a: AttemptCounts, b: AttemptCounts): AttemptCounts {
  return {
    delivered: a.delivered + b.delivered,
    failed: a.failed + b.failed,
    deadLettered: a.deadLettered + b.deadLettered,
    durations: sumOfHistograms(a.durations, b.durations),
  };
}
