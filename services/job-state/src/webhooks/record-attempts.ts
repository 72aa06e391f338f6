import type { Logger } from '@partner/runtime/logger';
import type { Database, Transaction } from '../database/database.js';
import type { AttemptResult } from './decode-delivery-attempted.js';
import type { AttemptMetrics } from './delivery-metrics.js';
import { type DeliveryStanding, settleAttempt, type Settlement } from './settle-attempt.js';
import type { RetrySettings } from './retry-schedule.js';

/** What the recording of attempts works with. */
export interface RecordAttemptsDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: AttemptMetrics;
  readonly retry: RetrySettings;
}

interface DeliveryUnderLock extends DeliveryStanding {
  readonly id: string;
  readonly subscriptionId: string;
  readonly companyId: string;
  readonly eventId: string;
  readonly isTest: boolean;
  readonly health: 'healthy' | 'degraded';
  readonly urlVersion: number;
  readonly isPaused: boolean;
  /** Ids of the attempts that this transaction has recorded. */
  readonly recorded: readonly string[];
}

type Change = Exclude<Settlement, { kind: 'unchanged' }>;

interface SettledDelivery {
  readonly delivery: DeliveryUnderLock;
  readonly change: Change;
}

interface SubscriptionChange {
  health?: 'healthy' | 'degraded';
  verifiedUrlVersion?: number;
}

/**
 * Records ended attempts and settles their deliveries, all in one transaction. An attempt is recorded once, by its id: one
 * that is known already, or whose delivery is gone, changes nothing. The order in which results come does not matter to
 * their history. A delivery of a paused subscription becomes held instead of scheduled. A test that was delivered verifies
 * the URL that it was sent to, if that is still the present one. A dead letter makes the subscription degraded, a delivered
 * attempt makes it healthy.
 *
 * Locks: the deliveries in ascending id, then the subscriptions that change in ascending id, then what is not waited for.
 */
export async function recordAttempts(
  deps: RecordAttemptsDeps,
  results: readonly AttemptResult[],
): Promise<void> {
  const { recorded, settled } = await deps.database.transaction(async (tx) => {
    const deliveries = await lockAndRecord(tx, results);
    const outcome = settle(deliveries, results, deps.retry);
    if (outcome.settled.length > 0 || outcome.subscriptions.size > 0) await write(tx, outcome);
    // Attempts that ended make room under the caps of their subscriptions.
    if (outcome.settled.length > 0) tx.wakeAfterCommit('deliveries');
    return outcome;
  });
  for (const { attempt } of recorded) deps.metrics.attempts.inc({ outcome: attempt.outcome });
  for (const { delivery, change } of settled) {
    if (change.kind !== 'dead_lettered') continue;
    deps.metrics.deadLetters.inc();
    const { id, subscriptionId, companyId, eventId } = delivery;
    deps.logger.warn({ deliveryId: id, subscriptionId, companyId, eventId }, 'delivery.dead_lettered');
  }
}

function lockAndRecord(tx: Transaction, results: readonly AttemptResult[]): Promise<DeliveryUnderLock[]> {
  const attempts = results.map((result) => result.attempt);
  return tx.query<DeliveryUnderLock>(
    `with locked as materialized (
       select d.* from deliveries d where d.id = any($1::text[]) order by d.id for update
     ), recorded as (
       insert into delivery_attempts
         (delivery_id, id, number, started_at, duration_ms, outcome, response_status, response_body, error, remote_address,
          secret_version)
       select attempt.* from unnest($1::text[], $2::text[], $3::integer[], $4::timestamptz[], $5::integer[], $6::text[],
         $7::integer[], $8::bytea[], $9::text[], $10::text[], $11::integer[])
         as attempt (delivery_id, id, number, started_at, duration_ms, outcome, response_status, response_body, error,
           remote_address, secret_version)
       join locked on locked.id = attempt.delivery_id
       on conflict (id) do nothing
       returning id, delivery_id
     )
     select locked.id, locked.subscription_id as "subscriptionId", locked.company_id as "companyId",
       locked.event_id as "eventId", locked.is_test as "isTest", locked.state, locked.attempts,
       locked.lease_id as "leaseId", s.health, s.url_version as "urlVersion", s.state = 'paused' as "isPaused",
       array(select recorded.id from recorded where recorded.delivery_id = locked.id) as recorded
     from locked
     join subscriptions s on s.id = locked.subscription_id`,
    [
      results.map((result) => result.deliveryId),
      attempts.map((attempt) => attempt.deliveryId),
      attempts.map((attempt) => attempt.number),
      attempts.map((attempt) => attempt.startedAt),
      attempts.map((attempt) => attempt.durationMs),
      attempts.map((attempt) => attempt.outcome),
      attempts.map((attempt) => attempt.responseStatus ?? null),
      attempts.map((attempt) => attempt.responseBody ?? null),
      attempts.map((attempt) => attempt.error ?? null),
      attempts.map((attempt) => attempt.remoteAddress ?? null),
      attempts.map((attempt) => attempt.secretVersion),
    ],
  );
}

interface Outcome {
  readonly recorded: readonly AttemptResult[];
  readonly settled: readonly SettledDelivery[];
  readonly subscriptions: ReadonlyMap<string, SubscriptionChange>;
}

/** Settles the results one after another in the order in which they came. */
function settle(
  deliveries: readonly DeliveryUnderLock[],
  results: readonly AttemptResult[],
  retry: RetrySettings,
): Outcome {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const unseen = new Set(deliveries.flatMap((delivery) => delivery.recorded));
  const recorded: AttemptResult[] = [];
  const settled = new Map<string, SettledDelivery>();
  const subscriptions = new Map<string, SubscriptionChange>();

  for (const result of results) {
    const delivery = byId.get(result.deliveryId);
    if (delivery === undefined || !unseen.delete(result.attempt.deliveryId)) continue;
    recorded.push(result);

    const before = settled.get(delivery.id)?.change;
    const { leaseId, retryAfterSeconds, attempt } = result;
    const change = settleAttempt(
      before === undefined ? delivery : standingAfter(delivery, before),
      { leaseId, retryAfterSeconds, outcome: attempt.outcome },
      retry,
    );
    if (change.kind !== 'unchanged') settled.set(delivery.id, { delivery, change: together(before, change) });

    const subscription = subscriptions.get(delivery.subscriptionId) ?? {};
    if (change.kind === 'delivered') subscription.health = 'healthy';
    if (change.kind === 'dead_lettered') subscription.health = 'degraded';
    if (delivery.isTest && attempt.outcome === 'delivered')
      subscription.verifiedUrlVersion = result.urlVersion;
    subscriptions.set(delivery.subscriptionId, subscription);
  }

  for (const { subscriptionId, health, urlVersion } of deliveries) {
    const change = subscriptions.get(subscriptionId);
    if (change === undefined) continue;
    const isHealthChange = change.health !== undefined && change.health !== health;
    if (!isHealthChange && change.verifiedUrlVersion !== urlVersion) subscriptions.delete(subscriptionId);
  }
  return { recorded, settled: [...settled.values()], subscriptions };
}

function standingAfter(delivery: DeliveryUnderLock, change: Change): DeliveryStanding {
  const keepsLease = change.kind === 'retry_scheduled' && !change.endsLease;
  return { state: change.kind, attempts: change.attempts, leaseId: keepsLease ? delivery.leaseId : null };
}

/** Two changes of one delivery as one: of two waits the longer. */
function together(before: Change | undefined, change: Change): Change {
  if (before?.kind !== 'retry_scheduled' || change.kind !== 'retry_scheduled') return change;
  return {
    ...change,
    waitMs: Math.max(before.waitMs, change.waitMs),
    endsLease: before.endsLease || change.endsLease,
  };
}

/**
 * `locked` takes at once the lock that the change needs: a weaker one first would let two replicas wait for each other.
 *
 * `paused` is the second look at what is about to be held: without a lock on its subscription, which is not waited for, the
 * delivery is scheduled instead, and the release holds it when it is due. So no activation can miss it. It looks after
 * `locked` has waited, so that nobody waits who holds what it takes. What is under a lease stays under it, unless this was
 * its result.
 */
async function write(tx: Transaction, { settled, subscriptions }: Outcome): Promise<void> {
  const changed = [...subscriptions].sort(([a], [b]) => (a < b ? -1 : 1));
  await tx.query(
    `with locked as materialized (
       select s.id, s.state from subscriptions s where s.id = any($7::text[]) order by s.id for no key update
     ), others as materialized (
       select s.id from subscriptions s
       where s.id = any($6::text[]) and s.id <> all($7::text[]) and s.state = 'paused'
         and (select count(*) from locked) >= 0
       for share skip locked
     ), paused as (
       select id from others union all select id from locked where state = 'paused'
     ), settled as (
       update deliveries d set
         state = case
           when change.state = 'retry_scheduled' and not d.is_test and (change.ends_lease or d.lease_id is null)
             and d.subscription_id in (select id from paused)
             then 'held'
           else change.state
         end,
         attempts = change.attempts,
         lease_id = case when not change.ends_lease then d.lease_id end,
         next_attempt_at = case
           when change.state <> 'retry_scheduled' then null
           when change.ends_lease then now() + make_interval(secs => change.wait_ms / 1000)
           else greatest(d.next_attempt_at, now() + make_interval(secs => change.wait_ms / 1000))
         end,
         finished_at = case when change.state = 'retry_scheduled' then null else now() end
       from unnest($1::text[], $2::text[], $3::integer[], $4::double precision[], $5::boolean[])
         as change (id, state, attempts, wait_ms, ends_lease)
       where d.id = change.id
     )
     update subscriptions s set
       health = coalesce(change.health, s.health),
       verified_url_version = case
         when change.verified_url_version = s.url_version then s.url_version
         else s.verified_url_version
       end
     from locked
     join unnest($7::text[], $8::text[], $9::integer[]) as change (id, health, verified_url_version)
       on change.id = locked.id
     where s.id = locked.id`,
    [
      settled.map(({ delivery }) => delivery.id),
      settled.map(({ change }) => change.kind),
      settled.map(({ change }) => change.attempts),
      settled.map(({ change }) => (change.kind === 'retry_scheduled' ? change.waitMs : null)),
      settled.map(({ change }) => change.kind !== 'retry_scheduled' || change.endsLease),
      settled.filter(({ delivery }) => delivery.isPaused).map(({ delivery }) => delivery.subscriptionId),
      changed.map(([id]) => id),
      changed.map(([, change]) => change.health ?? null),
      changed.map(([, change]) => change.verifiedUrlVersion ?? null),
    ],
  );
}
