import type { Queryable } from '../../database/database.js';
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
export interface CountedBucket extends AttemptCounts {
  readonly startsAt: Date;
}

/** Attempts in a span. */
export interface Statistics {
  readonly bucketMinutes: BucketedSpan['bucketMinutes'];
  /** Buckets with attempts, oldest first. */
  readonly buckets: readonly CountedBucket[];
  readonly totals: AttemptCounts;
}

/** Attempts to all subscriptions of a company in a span. */
export interface CompanyStatistics extends Statistics {
  /** Of each, oldest first. */
  readonly subscriptions: readonly { readonly subscriptionId: string; readonly totals: AttemptCounts }[];
}

/** All numbers are double precision: sums never grow large enough to be rounded. */
const SUMS = `sum(delivered)::float8 as delivered, sum(failed)::float8 as failed,
  sum(dead_lettered)::float8 as "deadLettered",
  array[${Array.from({ length: DURATION_SLOTS }, (_, slot) => `sum(durations[${slot + 1}])::float8`).join(', ')}] as durations`;

const STATISTICS = `
  select subscription_id as "subscriptionId", starts_at as "startsAt", ${SUMS}
  from (
    select subscription_id, date_bin(make_interval(mins => $4), starts_at, 'epoch') as starts_at,
      delivered, failed, dead_lettered, durations
    from delivery_statistics
    where subscription_id = any($1::text[]) and starts_at >= $2 and starts_at < $3
  ) as bucket
  group by grouping sets ((subscription_id), (starts_at))
  order by starts_at`;

interface SummedRow extends AttemptCounts {
  /** Null in the sum of a bucket. */
  readonly subscriptionId: string | null;
  /** Null in the sum of a subscription. */
  readonly startsAt: Date | null;
}

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

/** Reads the statistics of all current subscriptions of a company. Deleted subscriptions are not included. */
export async function getCompanyStatistics(
  database: Queryable,
  companyId: string,
  span: StatisticsSpan,
): Promise<CompanyStatistics> {
  const buckets = bucketsOf(span);
  const subscriptions = await database.query<{ id: string }>(
    'select s.id from subscriptions s where s.company_id = $1 and s.deleted_at is null order by s.id',
    [companyId],
  );
  return statisticsOf(
    database,
    subscriptions.map(({ id }) => id),
    buckets,
  );
}

/** One statement over the rows of the subscriptions, with the sums of each subscription and each bucket. */
async function statisticsOf(
  database: Queryable,
  subscriptionIds: readonly string[],
  { from, to, bucketMinutes }: BucketedSpan,
): Promise<CompanyStatistics> {
  const rows = await database.query<SummedRow>(STATISTICS, [subscriptionIds, from, to, bucketMinutes]);
  const bySubscription = new Map(rows.map(({ subscriptionId, ...sums }) => [subscriptionId, countsOf(sums)]));
  const subscriptions = subscriptionIds.map((subscriptionId) => ({
    subscriptionId,
    totals: bySubscription.get(subscriptionId) ?? NOTHING,
  }));
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
