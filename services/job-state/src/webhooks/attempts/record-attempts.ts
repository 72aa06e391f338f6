import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { Logger } from '@partner/kernel/telemetry/logger';
import {
  type Column,
  columnArrays,
  columnNames,
  computed,
  type RowOf,
  selectList,
  unnestColumns,
} from '../../database/columns.js';
import type { Database, Transaction } from '../../database/database.js';
import { TABLES } from '../../database/tables.js';
import { type CountedAttempt, type CountedDelivery, countAttempts } from '../statistics/count-attempts.js';
import { ATTEMPT } from '../deliveries/attempt-columns.js';
import { FAILING_AFTER } from '../deliveries/claim-rule.js';
import { DELIVERY } from '../deliveries/delivery-columns.js';
import type { AttemptResult } from './decode-deliveries-attempted.js';
import type { AttemptMetrics } from './attempt-metrics.js';
import { countDeadLetters } from './count-dead-letters.js';
import { type DeliveryStanding, type RetrySettings, settleAttempt } from './settle-attempt.js';
import { type Change, makeNextDue, type SubscriptionChange, writeSettlements } from './write-settlements.js';
import { sendLiveUpdate } from '../../live-updates/send-live-update.js';
import { slotsFreed } from '../deliveries/releaser.js';

export interface RecordAttemptsDeps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly metrics: AttemptMetrics;
  readonly retry: RetrySettings;
}

/** A locked delivery with its subscription `s` and company `c`. */
const UNDER_LOCK = {
  id: DELIVERY.id,
  subscriptionId: DELIVERY.subscriptionId,
  companyId: DELIVERY.companyId,
  eventId: DELIVERY.eventId,
  event: DELIVERY.event,
  isTest: DELIVERY.isTest,
  state: DELIVERY.state,
  attempts: DELIVERY.attempts,
  leaseId: DELIVERY.leaseId,
  resourceId: DELIVERY.resourceId,
  ordered: DELIVERY.ordered,
  createdAt: DELIVERY.createdAt,
  isTrial: computed<boolean>((d) => `${d}.wrong_secret is not null or ${d}.test_url is not null`),
  /** Since the delivery was queued, by the database's clock. */
  ageSeconds: computed<number>((d) => `extract(epoch from clock_timestamp() - ${d}.created_at)::float8`),
  companyClass: computed<CompanyClassName>(() => 'c.class'),
  health: computed<'healthy' | 'degraded'>(() => 's.health'),
  urlVersion: computed<number>(() => 's.url_version'),
  /** Failed attempts of the subscription since the last delivered one, up to {@link FAILING_AFTER}. */
  failuresInRow: computed<number>(() => 's.failures_in_row'),
  /** End of the certificate that the endpoint presented last; null if it is unknown. */
  certificateValidTo: computed<Date | null>(() => 's.certificate_valid_to'),
  /** Ids of the attempts that this transaction recorded. */
  recorded: computed<readonly string[]>(
    (d) => `array(select recorded.id from recorded where recorded.delivery_id = ${d}.id)`,
  ),
} as const;

type DeliveryUnderLock = RowOf<typeof UNDER_LOCK>;

interface SettledDelivery {
  readonly delivery: DeliveryUnderLock;
  readonly change: Change;
}

/**
 * Records finished attempts and settles their deliveries in one transaction.
 *
 * Finished deliveries move to `finished_deliveries`. An attempt is recorded once, by its id: a known attempt, or one of a
 * deleted delivery, changes nothing. An attempt of a finished delivery only adds to its history, except that a delivered
 * attempt makes a dead letter delivered. The order of arrival of results does not affect their history.
 *
 * A delivered test verifies the URL that it was sent to, if the subscription still has that URL. A dead letter makes the
 * subscription degraded. A delivered attempt makes it healthy and ends the failing state of its endpoint. Every recorded
 * attempt, late or not, counts in the statistics. A test with a wrong signature, or of another URL, changes nothing but its own
 * delivery. The subscription keeps the validity of the certificate that its endpoint presented last.
 *
 * Locks: the deliveries in ascending id, then the finished ones, then the changed subscriptions, then the resources of
 * ordered deliveries that ended and the next deliveries about them, then the statistics, last the
 * counts of dead letters. All batches for one subscription contend for its statistics; they wait there for no more than a commit.
 */
export async function recordAttempts(
  deps: RecordAttemptsDeps,
  results: readonly AttemptResult[],
): Promise<void> {
  const { recorded, settled } = await deps.database.transaction(async (tx) => {
    const deliveries = await tx.query<DeliveryUnderLock>(LOCK_AND_RECORD, attemptValues(results));
    const unfinished = new Set(deliveries.map(({ id }) => id));
    const late = results.filter(({ deliveryId }) => !unfinished.has(deliveryId));
    const recordedLate = await recordLate(tx, late);
    const recovered = recordedLate.filter(({ isRecovery }) => isRecovery);
    const outcome = settle(deliveries, results, recovered, deps.retry);
    writeSettlements(tx, outcome);
    makeNextDue(tx, outcome.settled);
    countAttempts(
      tx,
      [...recordedLate, ...outcome.recorded.map(countedAttempt)],
      [...recovered.map(RECOVERED), ...outcome.settled.map(countedDelivery)],
    );
    countDeadLetters(tx, outcome.recorded);
    // A finished attempt frees a slot under the cap of its subscription.
    if (outcome.settled.length > 0) slotsFreed.tell(tx);
    for (const { delivery } of outcome.settled) {
      sendLiveUpdate(tx, delivery.companyId, [delivery.subscriptionId]);
    }
    for (const { companyId, subscriptionId } of recovered) sendLiveUpdate(tx, companyId, [subscriptionId]);
    return outcome;
  });
  for (const { delivery, result } of recorded) {
    if (delivery.isTrial) continue;
    deps.metrics.attempted(delivery.companyClass, result.attempt.outcome);
  }
  for (const { delivery, change } of settled) {
    if (delivery.isTrial) continue;
    if (change.kind === 'delivered') {
      deps.metrics.delivered(delivery.companyClass, delivery.ageSeconds, change.attempts);
    }
    if (change.kind !== 'dead_lettered') continue;
    deps.metrics.deadLettered(delivery.companyClass);
    const { id, subscriptionId, companyId, eventId } = delivery;
    deps.logger.warn({ deliveryId: id, subscriptionId, companyId, eventId }, 'delivery.dead_lettered');
  }
}

/** The reported attempts, whose delivery has the first parameter. */
const ATTEMPTS = unnestColumns(ATTEMPT, 'attempt');

function attemptValues(results: readonly AttemptResult[]): readonly unknown[] {
  return columnArrays(
    ATTEMPT,
    results.map(({ deliveryId, attempt }) => ({
      ...attempt,
      deliveryId,
      attemptId: attempt.deliveryId,
      exchange: attempt.exchange?.json,
    })),
  );
}

/**
 * Erasures that are in progress, or that have finished since the first attempt began: a result can wait in a queue for longer than
 * an erasure waits for attempts in flight. A minute is the most that two clocks differ. Mostly there are none.
 */
const ERASED = `erased as materialized (
     select subject ->> 'companyId' as company_id, concat(subject, progress) as ids from erasures
     where finished_at is null
       or finished_at >= (select min(started_at) - interval '1 minute' from ${ATTEMPTS})
   )`;

const { customer, company } = TABLES.find(({ name }) => name === 'delivery_attempts') ?? {};
const ERASED_OF_CUSTOMER = Object.keys(customer?.personal ?? {});
const ERASED_OF_COMPANY = Object.keys(company?.erased ?? {});

function unlessErased({ name }: Column<unknown>): string {
  if (ERASED_OF_CUSTOMER.includes(name)) return `case when erasures.count = 0 then attempt.${name} end`;
  if (ERASED_OF_COMPANY.includes(name)) return `case when erasures.of_company = 0 then attempt.${name} end`;
  return `attempt.${name}`;
}

/** The attempts of the locked deliveries, without the texts that an erasure erases (decision PERSON-8). */
const RECORDED = `insert into delivery_attempts (${columnNames(ATTEMPT)})
     select ${Object.values(ATTEMPT).map(unlessErased).join(', ')}
     from ${ATTEMPTS} join locked on locked.id = attempt.delivery_id
     cross join lateral (
       select count(*), count(company_id) as of_company from erased
       where erased.company_id = locked.company_id or strpos(erased.ids, '"' || locked.resource_id || '"') > 0
     ) as erasures
     on conflict (delivery_id, id) do nothing`;

const LOCK_AND_RECORD = {
  name: 'record-attempts',
  text: `with locked as materialized (
     select d.* from deliveries d where d.id = any($1::text[]) order by d.id for update
   ), ${ERASED}, recorded as (
     ${RECORDED}
     returning id, delivery_id
   )
   select ${selectList(UNDER_LOCK, 'locked')}
   from locked
   join subscriptions s on s.id = locked.subscription_id
   join companies c on c.id = locked.company_id`,
};

interface LateAttempt extends CountedAttempt {
  readonly companyId: string;
  readonly createdAt: Date;
  /** True if it makes a dead letter delivered. */
  readonly isRecovery: boolean;
}

const RECORD_LATE = {
  name: 'record-late-attempts',
  text: `with locked as materialized (
     select f.* from finished_deliveries f
     where f.id = any($1::text[]) order by f.id for no key update
   ), ${ERASED}, recorded as (
     ${RECORDED}
     returning delivery_id, started_at, duration_ms, outcome
   ), recovered as (
     update finished_deliveries f set state = 'delivered' from locked
     where f.id = locked.id and locked.state = 'dead_lettered'
       and f.id in (select delivery_id from recorded where outcome = 'delivered')
   )
   select locked.subscription_id as "subscriptionId", locked.company_id as "companyId", locked.is_test as "isTest",
     locked.created_at as "createdAt", recorded.started_at as "startedAt", recorded.duration_ms as "durationMs",
     recorded.outcome = 'delivered' as "isDelivered", false as "isDeadLetter",
     recorded.outcome = 'delivered' and locked.state = 'dead_lettered' as "isRecovery"
   from recorded join locked on locked.id = recorded.delivery_id`,
};

/**
 * Adds attempts to the history of finished deliveries and returns the new ones.
 *
 * It is a separate statement, so its snapshot includes deliveries that finished while the previous statement waited for their
 * locks. Subscriptions are left to the settlement, which locks all of them in one order.
 */
async function recordLate(
  tx: Transaction,
  results: readonly AttemptResult[],
): Promise<readonly LateAttempt[]> {
  return results.length === 0 ? [] : tx.query<LateAttempt>(RECORD_LATE, attemptValues(results));
}

interface RecordedAttempt {
  readonly delivery: DeliveryUnderLock;
  readonly result: AttemptResult;
  readonly isDeadLetter: boolean;
}

function countedAttempt({ delivery, result, isDeadLetter }: RecordedAttempt): CountedAttempt {
  const { startedAt, durationMs, outcome } = result.attempt;
  const { subscriptionId, isTest } = delivery;
  return {
    subscriptionId,
    isTest,
    startedAt,
    durationMs,
    isDelivered: outcome === 'delivered',
    isDeadLetter,
  };
}

const RECOVERED = ({ subscriptionId, isTest, createdAt }: LateAttempt): CountedDelivery => ({
  ...{ subscriptionId, isTest, createdAt, counts: [0, 0, 1, -1] },
});

function countedDelivery({ delivery, change: { kind, attempts } }: SettledDelivery): CountedDelivery {
  const isDelivered = kind === 'delivered';
  const counts = [
    delivery.attempts === 0,
    isDelivered && attempts === 1,
    isDelivered,
    kind === 'dead_lettered',
  ];
  return { ...delivery, counts: counts.map(Number) };
}

interface Outcome {
  readonly recorded: readonly RecordedAttempt[];
  readonly settled: readonly SettledDelivery[];
  readonly subscriptions: ReadonlyMap<string, SubscriptionChange>;
}

/** Settles the results one by one in order of arrival, after the dead letters that were delivered late. */
function settle(
  deliveries: readonly DeliveryUnderLock[],
  results: readonly AttemptResult[],
  recovered: readonly LateAttempt[],
  retry: RetrySettings,
): Outcome {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const unseen = new Set(deliveries.flatMap((delivery) => delivery.recorded));
  const recorded: RecordedAttempt[] = [];
  const settled = new Map<string, SettledDelivery>();
  const recoveredIds = new Set(recovered.map(({ subscriptionId }) => subscriptionId));
  const subscriptions = new Map(
    [...recoveredIds].map((id): [string, SubscriptionChange] => [
      id,
      { health: 'healthy', hasDelivered: true, failures: 0 },
    ]),
  );

  for (const result of results) {
    const delivery = byId.get(result.deliveryId);
    if (delivery === undefined || !unseen.delete(result.attempt.deliveryId)) continue;

    const before = settled.get(delivery.id)?.change;
    const { leaseId, retryAfterSeconds, attempt } = result;
    const change = settleAttempt(
      before === undefined ? delivery : standingAfter(delivery, before),
      { leaseId, retryAfterSeconds, outcome: attempt.outcome },
      retry,
    );
    recorded.push({ delivery, result, isDeadLetter: change.kind === 'dead_lettered' });
    if (change.kind !== 'unchanged') settled.set(delivery.id, { delivery, change: merge(before, change) });
    if (delivery.isTrial) continue;

    const subscription = subscriptions.get(delivery.subscriptionId) ?? { hasDelivered: false, failures: 0 };
    if (change.kind === 'delivered') subscription.health = 'healthy';
    if (change.kind === 'dead_lettered') subscription.health = 'degraded';
    if (attempt.outcome === 'delivered') {
      subscription.hasDelivered = true;
      subscription.failures = 0;
      if (delivery.isTest) {
        subscription.verified = { urlVersion: result.urlVersion, secretVersion: attempt.secretVersion };
      }
    } else {
      subscription.failures += 1;
    }
    const certificate = attempt.exchange?.certificate;
    if (certificate !== undefined && attempt.outcome !== 'tls_failed') {
      subscription.certificate = { ...certificate, urlVersion: result.urlVersion };
    }
    subscriptions.set(delivery.subscriptionId, subscription);
  }

  for (const delivery of deliveries) {
    const change = subscriptions.get(delivery.subscriptionId);
    if (change === undefined || recoveredIds.has(delivery.subscriptionId)) continue;
    if (!changes(delivery, change)) subscriptions.delete(delivery.subscriptionId);
  }
  // A delivery that another result of the batch delivers never was a dead letter.
  const isDead = ({ delivery, isDeadLetter }: RecordedAttempt) =>
    isDeadLetter && settled.get(delivery.id)?.change.kind === 'dead_lettered';
  return {
    recorded: recorded.map((each) => ({ ...each, isDeadLetter: isDead(each) })),
    settled: [...settled.values()],
    subscriptions,
  };
}

/** Whether the result may change the subscription, decided without its lock. A healthy subscription is not written. */
function changes(before: DeliveryUnderLock, change: SubscriptionChange): boolean {
  const failures = Math.min(
    (change.hasDelivered ? 0 : before.failuresInRow) + change.failures,
    FAILING_AFTER,
  );
  return (
    failures !== before.failuresInRow ||
    (change.health !== undefined && change.health !== before.health) ||
    change.verified?.urlVersion === before.urlVersion ||
    (change.certificate?.urlVersion === before.urlVersion &&
      change.certificate.validTo.getTime() !== before.certificateValidTo?.getTime())
  );
}

function standingAfter(delivery: DeliveryUnderLock, change: Change): DeliveryStanding {
  const keepsLease = change.kind === 'retry_scheduled' && !change.endsLease;
  const { isTrial } = delivery;
  const leaseId = keepsLease ? delivery.leaseId : null;
  return { state: change.kind, attempts: change.attempts, leaseId, isTrial };
}

/** Merges two changes of one delivery. The longer delay wins. */
function merge(before: Change | undefined, change: Change): Change {
  if (before?.kind !== 'retry_scheduled' || change.kind !== 'retry_scheduled') return change;
  return {
    ...change,
    backoffMs: Math.max(before.backoffMs, change.backoffMs),
    endsLease: before.endsLease || change.endsLease,
  };
}
