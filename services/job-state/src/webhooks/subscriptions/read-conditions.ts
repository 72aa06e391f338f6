import { WAITING_COUNTED } from '@partner/proto-contracts/api/limits';
import type { Subscription } from '@partner/proto-contracts/resources/subscription/subscription';
import type { PreparedStatement } from '../../database/connection-pool.js';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Queryable } from '../../database/database.js';
import { isFailing } from '../deliveries/claim-rule.js';
import { dueAt, isWaiting, waitingCount } from '../deliveries/delivery-columns.js';
import { conditionOf, type KnownOfWebhook } from './condition-of.js';
import { shownSubscription, type SubscriptionRow } from './subscription-resource.js';

/** Events of a company since its oldest pause that are scanned for those missed, the newest first. */
const MAX_EVENTS_SCANNED = 10_000;

type Counts = Pick<
  KnownOfWebhook,
  'inRowSince' | 'waiting' | 'failed' | 'accepted' | 'missed' | 'missedAtLeast'
>;

/**
 * Every count is bounded and only read for a webhook that needs it. `accepted` are among the deliveries created last: retries of older
 * ones can be missing. Attempts count in the five minutes in which they began, which can be before the failure was recorded.
 */
const COUNTS: PreparedStatement = {
  name: 'webhook-conditions',
  text: `with scanned as materialized (
       select e.created_at, e.not_queued from events e where e.company_id = $2 and e.id >= $3 order by e.id desc limit ${MAX_EVENTS_SCANNED}
     )
     select s.id, run.since as "inRowSince", waiting.count as waiting,
       case when ${isFailing('s')} then (
         select coalesce(sum(failed), 0)::float8 from delivery_statistics where subscription_id = s.id
           and starts_at >= date_bin('5 minutes', coalesce(run.since, now() - interval '1 day') - interval '1 minute', 'epoch')
       ) else 0 end as failed,
       case when waiting.count > 0 and s.failures_in_row = 0 then (
         select count(*) filter (where state = 'delivered' and finished_at >= run.since)::integer from (
           select f.state, f.finished_at from finished_deliveries f where f.subscription_id = s.id and not f.is_test
           order by f.id desc limit ${WAITING_COUNTED}
         ) newest
       ) else 0 end as accepted,
       case when s.state = 'paused' then (
         select count(*)::integer from scanned where created_at >= s.paused_at and not_queued ->> s.id = 'paused'
       ) else 0 end as missed,
       (select count(*) = ${MAX_EVENTS_SCANNED} and min(created_at) > s.paused_at from scanned) as "missedAtLeast"
     from subscriptions s
     cross join lateral (select coalesce(s.in_row_since, s.failing_since) as since) run
     cross join lateral (select ${waitingCount(isWaiting('d', 'retry_scheduled'), dueAt('d'))} as count) waiting
     where s.id = any($1::text[])`,
};

/** Returns webhooks of a company with their conditions, which one statement reads for all of them. */
export async function withConditions(
  database: Queryable,
  companyId: string,
  rows: readonly SubscriptionRow[],
): Promise<Subscription[]> {
  const pauses = rows.flatMap(({ verified, pausedAt }) => (verified && pausedAt !== null ? [pausedAt] : []));
  const [from] = pauses.sort((one, other) => one.getTime() - other.getTime());
  const firstId = from === undefined ? 'evt_z' : idsCreatedWithin('evt', { from, to: undefined }).lowest;
  const ids = rows.map(({ id }) => id);
  const counts = await database.query<Counts & { readonly id: string }>(COUNTS, [ids, companyId, firstId]);
  const byId = new Map(counts.map((each) => [each.id, each]));
  return rows.map((row) => {
    const counted = byId.get(row.id);
    const shown = shownSubscription(row);
    return counted === undefined ? shown : { ...shown, condition: conditionOf({ ...row, ...counted }) };
  });
}
