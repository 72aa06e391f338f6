import type { getBacklogOperation } from '@partner/proto-contracts/internal/operators/system';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { invariant } from '@partner/kernel/process/invariant';
import type { z } from 'zod';
import type { Queryable } from '../database/database.js';
import { FAILING_AFTER, sharedSlotsOf, subscriptionCapOf } from '../webhooks/deliveries/claim-rule.js';
import { dueAt, isOverdue } from '../webhooks/deliveries/delivery-columns.js';
import type { OperatorDeps } from './operator-deps.js';

type Backlog = z.output<typeof getBacklogOperation.output>;

type Age = Extract<keyof Backlog, `oldest${string}`>;

/** Ages are in milliseconds by the clock of the database, null without any. */
type BacklogRow = Omit<Backlog, Age | 'environment' | 'now' | 'databaseNow'> & {
  readonly [Name in Age]: number | null;
} & { readonly databaseNow: Date };

type OfDeliveries = Extract<
  keyof BacklogRow,
  `${string}Deliveries` | `oldest${string}DueMs` | 'expiredLeases' | 'waitingRetries'
>;

/**
 * Counts waiting work, the deliveries last: a message of the platform that becomes one meanwhile is counted at least once.
 *
 * It reads each unfinished delivery once: for people on demand, not for frequent polling. Healthy endpoints, those at capacity
 * and failing ones are separate, as in the metric `partner_webhook_oldest_due_seconds`.
 */
export async function getBacklog(
  database: Queryable,
  { inFlight, environment, clock }: OperatorDeps,
): Promise<Backlog> {
  const [others] = await database.query<Omit<BacklogRow, OfDeliveries>>(
    `select o.*, i.*, s.*, c.*
     from (
       select count(*)::integer as "outboxMessages",
         max(least(extract(epoch from now() - created_at) * 1000, 2147483647))::integer as "oldestOutboxMs" from outbox
     ) o, (
       select count(*)::integer as "waitingPlatformMessages",
         max(least(extract(epoch from now() - received_at) * 1000, 2147483647))::integer as "oldestWaitingMs"
       from inbox where prerequisite_id is not null
     ) i, (
       select count(*) filter (where health = 'degraded')::integer as "degradedSubscriptions",
         count(*) filter (where failures_in_row >= $1 and state = 'active')::integer as "failingSubscriptions"
       from subscriptions where deleted_at is null
     ) s, (
       select count(*)::integer as "databaseConnections", current_setting('max_connections')::integer as "databaseConnectionsMax",
         clock_timestamp() as "databaseNow"
       from pg_stat_activity where datname = current_database()
     ) c`,
    [FAILING_AFTER],
  );
  const [deliveries] = await database.query<Pick<BacklogRow, OfDeliveries>>(
    `select coalesce(sum(due), 0)::integer as "dueDeliveries",
       greatest(max(due_ms) filter (where is_healthy), max(overdue_ms) filter (where not is_failing))::integer as "oldestDueMs",
       coalesce(sum(due) filter (where is_busy), 0)::integer as "busyDueDeliveries",
       (max(due_ms) filter (where is_busy))::integer as "oldestBusyDueMs",
       coalesce(sum(due) filter (where is_failing), 0)::integer as "failingDueDeliveries",
       (max(greatest(due_ms, overdue_ms)) filter (where is_failing))::integer as "oldestFailingDueMs",
       coalesce(sum(leased), 0)::integer as "leasedDeliveries",
       coalesce(sum(expired), 0)::integer as "expiredLeases",
       coalesce(sum(retries), 0)::integer as "waitingRetries",
       coalesce(sum(held), 0)::integer as "heldDeliveries"
     from (
       select counted.*, is_failing, not is_failing and has_many as is_busy, not is_failing and not has_many as is_healthy
       from (
         select subscription_id, count(*) filter (where is_due) as due, max(age_ms) filter (where is_due) as due_ms,
           max(overdue_ms) as overdue_ms,
           count(*) filter (where is_leased and age_ms <= 0) as leased,
           sum(count(*) filter (where is_leased and age_ms <= 0)) over () as under_way,
           count(*) filter (where is_leased and age_ms > 0) as expired,
           count(*) filter (where state = 'retry_scheduled' and not is_leased and age_ms < 0) as retries,
           count(*) filter (where state = 'held') as held
         from (
           select *, state in ('pending', 'retry_scheduled') and not is_leased and age_ms >= 0 as is_due
           from (
             select subscription_id, state, lease_id is not null as is_leased,
               least(extract(epoch from now() - ${dueAt('d')}) * 1000, 2147483647) as age_ms,
               case when ${isOverdue('d')}
                 then least(extract(epoch from now() - overdue_since) * 1000, 2147483647) end as overdue_ms
             from deliveries d
           ) aged
         ) judged
         group by subscription_id
       ) counted join subscriptions on subscriptions.id = subscription_id
         cross join lateral (select failures_in_row >= $1 as is_failing, leased >= $2 / 2.0 and under_way < $3 as has_many) state
     ) endpoint_deliveries`,
    [FAILING_AFTER, subscriptionCapOf(inFlight), sharedSlotsOf(inFlight)],
  );
  invariant(others && deliveries, 'an aggregate returns a row');
  const row = { ...others, ...deliveries };
  return {
    ...row,
    environment,
    now: formatDateTime(clock()),
    databaseNow: formatDateTime(row.databaseNow),
    oldestDueMs: row.oldestDueMs ?? undefined,
    oldestBusyDueMs: row.oldestBusyDueMs ?? undefined,
    oldestFailingDueMs: row.oldestFailingDueMs ?? undefined,
    oldestOutboxMs: row.oldestOutboxMs ?? undefined,
    oldestWaitingMs: row.oldestWaitingMs ?? undefined,
  };
}
