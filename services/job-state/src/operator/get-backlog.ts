import type { Queryable } from '../database/database.js';
import { BREAKER_FAILURES } from '../deliveries/claim-due.js';

/** What waits in Postgres; ages in milliseconds by its clock, null of nothing. */
export interface Backlog {
  readonly dueDeliveries: number;
  readonly oldestDueMs: number | null;
  readonly leasedDeliveries: number;
  readonly expiredLeases: number;
  readonly waitingRetries: number;
  readonly heldDeliveries: number;
  readonly outboxMessages: number;
  readonly oldestOutboxMs: number | null;
  readonly waitingPlatformMessages: number;
  readonly oldestWaitingMs: number | null;
  readonly degradedSubscriptions: number;
  readonly openBreakers: number;
  readonly databaseConnections: number;
  readonly databaseConnectionsMax: number;
  readonly databaseNow: Date;
}

/** Counts what waits, as of one moment. Reads each unfinished delivery once: for people who look, not for every second. */
export async function getBacklog(database: Queryable): Promise<Backlog> {
  const [backlog] = await database.query<Backlog>(
    `select d.*, o.*, i.*, s.*, c.*
     from (
       select count(*) filter (where is_due)::integer as "dueDeliveries",
         greatest(max(age_ms) filter (where is_due), max(overdue_ms))::integer as "oldestDueMs",
         count(*) filter (where is_leased and age_ms <= 0)::integer as "leasedDeliveries",
         count(*) filter (where is_leased and age_ms > 0)::integer as "expiredLeases",
         count(*) filter (where state = 'retry_scheduled' and not is_leased and age_ms < 0)::integer as "waitingRetries",
         count(*) filter (where state = 'held')::integer as "heldDeliveries"
       from (
         select state, is_leased, age_ms, overdue_ms, state in ('pending', 'retry_scheduled') and not is_leased and age_ms >= 0 as is_due
         from (
           select state, lease_id is not null as is_leased,
             least(extract(epoch from now() - next_attempt_at) * 1000, 2147483647) as age_ms,
             least(extract(epoch from now() - overdue_since) * 1000, 2147483647) as overdue_ms
           from deliveries
         ) aged
       ) judged
     ) d, (
       select count(*)::integer as "outboxMessages",
         max(least(extract(epoch from now() - created_at) * 1000, 2147483647))::integer as "oldestOutboxMs" from outbox
     ) o, (
       select count(*)::integer as "waitingPlatformMessages",
         max(least(extract(epoch from now() - received_at) * 1000, 2147483647))::integer as "oldestWaitingMs"
       from inbox where waits_for is not null
     ) i, (
       select count(*) filter (where health = 'degraded')::integer as "degradedSubscriptions",
         count(*) filter (where failures_in_row >= $1 and state = 'active')::integer as "openBreakers"
       from subscriptions where deleted_at is null
     ) s, (
       select count(*)::integer as "databaseConnections", current_setting('max_connections')::integer as "databaseConnectionsMax",
         clock_timestamp() as "databaseNow"
       from pg_stat_activity where datname = current_database()
     ) c`,
    [BREAKER_FAILURES],
  );
  if (backlog === undefined) throw new Error('an aggregate gives a row');
  return backlog;
}
