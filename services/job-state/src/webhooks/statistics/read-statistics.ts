import type {
  ShownAttemptCounts,
  ShownCompanyStatistics,
  ShownStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Queryable } from '../../database/database.js';
import { dueAt, isWaiting, waitingCount } from '../deliveries/delivery-columns.js';
import { getSubscription, type SubscriptionOfCompany } from '../subscriptions/get-subscription.js';
import { DELIVERY_COUNTS } from './count-attempts.js';
import { DURATION_SLOTS, type DurationHistogram, percentileMs } from './duration-histogram.js';
import { type BucketedSpan, bucketsOf, type StatisticsSpan } from './statistics-span.js';

/** The attempts of all subscriptions, of one, of one of its steps, or of a bucket: the columns of the others are null. */
interface SummedRow {
  readonly subscriptionId: string | null;
  readonly startsAt: Date | null;
  readonly stepAt: Date | null;
  readonly delivered: number;
  readonly failed: number;
  readonly deadLettered: number;
  readonly durations: DurationHistogram;
  /** In the order of {@link DELIVERY_COUNTS}. */
  readonly deliveries: readonly number[];
  /** False: an earlier version counted some of them. */
  readonly isFirstKnown: boolean;
}

/** All numbers are double precision: sums never grow large enough to be rounded. */
const sum = (column: string) => `coalesce(sum(${column}), 0)::float8`;
const DURATIONS = Array.from({ length: DURATION_SLOTS }, (_, slot) => sum(`durations[${slot + 1}]`));
const COUNTED = DELIVERY_COUNTS.map((before, n) => sum(`coalesce(deliveries[${n + 1}], ${before})`));
/** Five minutes of an earlier version, or that two versions counted, can have more ends than attempted deliveries. */
const DELIVERIES = COUNTED.map((_, n) =>
  sum(n === 0 ? 'greatest(deliveries[1], deliveries[3] + deliveries[4])' : `deliveries[${n + 1}]`),
);

const STATISTICS = `
  select subscription_id as "subscriptionId", starts_at as "startsAt", step_at as "stepAt", ${sum('delivered')} as delivered,
    ${sum('failed')} as failed, ${sum('dead_lettered')} as "deadLettered", array[${DURATIONS.join(', ')}] as durations,
    array[${DELIVERIES.join(', ')}] as deliveries, bool_and(is_first_known) as "isFirstKnown"
  from (
    select subscription_id, date_bin(make_interval(mins => $4), five_minutes, 'epoch') as starts_at,
      date_bin(make_interval(mins => $5), five_minutes, 'epoch') as step_at,
      sum(delivered) as delivered, sum(failed) as failed, sum(dead_lettered) as dead_lettered,
      array[${DURATIONS.join(', ')}] as durations, array[${COUNTED.join(', ')}] as deliveries,
      bool_and(deliveries[2] is not null) as is_first_known
    from delivery_statistics cross join lateral date_bin('5 minutes', starts_at, 'epoch') as five_minutes
    where subscription_id = any($1::text[]) and starts_at >= $2 and starts_at < $3
    group by subscription_id, five_minutes
  ) as bucket
  group by grouping sets ((), (subscription_id), (starts_at), (subscription_id, step_at))
  order by starts_at, step_at`;

const SUBSCRIPTIONS = `
  select s.id, ${waitingCount(isWaiting('d', 'retry_scheduled'), dueAt('d'))} as retrying,
    ${waitingCount(`d.state = 'held'`, 'd.id')} as held
  from subscriptions s where s.company_id = $1 and s.deleted_at is null order by s.id`;

/**
 * Reads the statistics of one subscription.
 *
 * Fails with `not_found` for a subscription that the company does not have or has deleted.
 */
export async function getSubscriptionStatistics(
  database: Queryable,
  subscription: SubscriptionOfCompany,
  span: StatisticsSpan,
): Promise<ShownStatistics> {
  const { subscriptionId } = subscription;
  const buckets = bucketsOf(span);
  await getSubscription(database, subscription);
  const rows = await sums(database, [subscriptionId], buckets);
  return { webhookId: subscriptionId, ...ofAll(rows, buckets) };
}

/**
 * Reads the statistics of all current subscriptions of a company, and counts their waiting deliveries, each up to
 * a bound. Deleted subscriptions are not included.
 */
export async function getCompanyStatistics(
  database: Queryable,
  companyId: string,
  span: StatisticsSpan,
): Promise<ShownCompanyStatistics> {
  const buckets = bucketsOf(span);
  const subscriptions = await database.query<{ id: string; retrying: number; held: number }>(SUBSCRIPTIONS, [
    companyId,
  ]);
  const ids = subscriptions.map(({ id }) => id);
  const rows = await sums(database, ids, buckets);
  return {
    webhooks: subscriptions.map(({ id, ...waiting }) => {
      const own = rows.filter(({ subscriptionId }) => subscriptionId === id);
      const trend = own.flatMap(({ stepAt, ...counts }) => {
        if (stepAt === null) return [];
        const { delivered, failed, deliveries } = shownCounts(counts);
        return [{ startsAt: formatDateTime(stepAt), delivered, failed, deliveries }];
      });
      return {
        webhookId: id,
        totals: shownCounts(own.find(({ stepAt }) => stepAt === null)),
        trend,
        ...waiting,
      };
    }),
    trendMinutes: buckets.trendMinutes,
    ...ofAll(rows, buckets),
  };
}

function sums(
  database: Queryable,
  subscriptionIds: readonly string[],
  { from, to, bucketMinutes, trendMinutes }: BucketedSpan,
): Promise<SummedRow[]> {
  return database.query<SummedRow>(STATISTICS, [subscriptionIds, from, to, bucketMinutes, trendMinutes]);
}

/** The buckets with attempts, oldest first, and their sum. */
function ofAll(
  rows: readonly SummedRow[],
  { bucketMinutes }: BucketedSpan,
): Omit<ShownStatistics, 'webhookId'> {
  return {
    bucketMinutes,
    buckets: rows.flatMap(({ startsAt, ...counts }) =>
      startsAt === null ? [] : [{ startsAt: formatDateTime(startsAt), ...shownCounts(counts) }],
    ),
    totals: shownCounts(
      rows.find(({ subscriptionId, startsAt }) => subscriptionId === null && startsAt === null),
    ),
  };
}

function shownCounts(row: Omit<SummedRow, 'startsAt' | 'stepAt'> | undefined): ShownAttemptCounts {
  const { delivered = 0, failed = 0, deadLettered = 0, durations, deliveries = [], isFirstKnown } = row ?? {};
  const [total = 0, first = 0, accepted = 0, givenUp = 0] = deliveries;
  const percentile = (part: number) => (durations && percentileMs(durations, part)) ?? null;
  return {
    ...{ attempts: delivered + failed, delivered, failed, deadLettered },
    ...{ p50Ms: percentile(0.5), p95Ms: percentile(0.95) },
    deliveries: {
      ...{ total, delivered: accepted, deliveredFirst: isFirstKnown === false ? null : first },
      deadLettered: givenUp,
    },
  };
}
