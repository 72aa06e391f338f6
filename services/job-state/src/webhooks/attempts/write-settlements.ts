import { column, columnArrays, unnestColumns } from '../../database/columns.js';
import type { Transaction } from '../../database/database.js';
import { FAILING_AFTER } from '../deliveries/claim-rule.js';
import { dueAt, RETAINED_COLUMNS, setDueAt } from '../deliveries/delivery-columns.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';
import type { CertificateValidity } from '../deliveries/exchange-steps.js';
import type { Settlement } from './settle-attempt.js';

export type Change = Exclude<Settlement, { kind: 'unchanged' }>;

export interface SubscriptionChange {
  health?: 'healthy' | 'degraded';
  /** The URL that accepted a test, and the version of the secret that signed it. */
  verified?: { readonly urlVersion: number; readonly secretVersion: number };
  /** The certificate that the endpoint of this URL presented last. */
  certificate?: CertificateValidity & { readonly urlVersion: number };
  hasDelivered: boolean;
  /** Failed attempts since the last delivered one, or in total without one. */
  failures: number;
}

const DELIVERY_CHANGE = {
  id: column<string>('id', 'text'),
  kind: column<Change['kind']>('state', 'text'),
  attempts: column<number>('attempts', 'integer'),
  backoffMs: column<number>('wait_ms', 'double precision'),
  endsLease: column<boolean>('ends_lease', 'boolean'),
} as const;

const SUBSCRIPTION_CHANGE = {
  id: column<string>('id', 'text'),
  health: column<string>('health', 'text'),
  verifiedUrl: column<number>('verified_url_version', 'integer'),
  verifiedSecret: column<number>('verified_secret_version', 'integer'),
  hasDelivered: column<boolean>('has_delivered', 'boolean'),
  failures: column<number>('failures', 'integer'),
  certificateUrl: column<number>('certificate_url_version', 'integer'),
  validFrom: column<Date>('certificate_valid_from', 'timestamptz'),
  validTo: column<Date>('certificate_valid_to', 'timestamptz'),
} as const;

/**
 * Deletes deliveries that ended, keeps them as finished, and sets when the others are due: after the backoff, and not before an
 * earlier backoff ends. A late failure leaves a current lease alone, and `not_before` has its backoff. The ids are a separate
 * condition, so that a plan from when the table was small does not read all of it.
 */
const SETTLE_DELIVERIES = {
  name: 'settle-deliveries',
  text: `with change as materialized (
     select * from ${unnestColumns(DELIVERY_CHANGE, 'change')}
   ), ended as (
     delete from deliveries d using change
     where d.id = any($1::text[]) and d.id = change.id and change.state <> 'retry_scheduled'
     returning d.*, change.state as end_state, change.attempts as end_attempts
   ), finished as (
     insert into finished_deliveries (${RETAINED_COLUMNS}, state, attempts, finished_at)
     select ${RETAINED_COLUMNS}, end_state, end_attempts, now() from ended
   )
   update deliveries d set
     state = case d.state when 'held' then 'held' else 'retry_scheduled' end,
     attempts = change.attempts,
     lease_id = case when not change.ends_lease then d.lease_id end,
     ${setDueAt(`case
       when change.ends_lease then greatest(now() + make_interval(secs => change.wait_ms / 1000), d.not_before)
       when d.lease_id is null then greatest(${dueAt('d')}, now() + make_interval(secs => change.wait_ms / 1000))
       else ${dueAt('d')}
     end`)},
     not_before = case
       when not change.ends_lease and d.lease_id is not null
         then greatest(d.not_before, now() + make_interval(secs => change.wait_ms / 1000))
     end,
     overdue_since = null
   from change
   where d.id = any($1::text[]) and d.id = change.id and change.state = 'retry_scheduled'`,
};

const FAILURES_IN_ROW = `least(
       case when change.has_delivered then 0 else s.failures_in_row end + change.failures, ${FAILING_AFTER}
     )`;

/** Changes subscriptions, which it locks in ascending order, as of the lock: a certificate or test of a former URL changes nothing. */
const CHANGE_SUBSCRIPTIONS = {
  name: 'change-subscriptions',
  text: `with locked as materialized (
     select s.id from subscriptions s where s.id = any($1::text[]) order by s.id for no key update
   )
   update subscriptions s set
     health = coalesce(change.health, s.health),
     verified_url_version = case
       when change.verified_url_version = s.url_version then s.url_version
       else s.verified_url_version
     end,
     -- A test with a later secret than the current one does not hide that the current one was accepted.
     verified_secret_version = case
       when change.verified_url_version <> s.url_version then s.verified_secret_version
       when s.verified_url_version = s.url_version and coalesce(s.verified_secret_version, 0) <= s.secret_version
         then s.verified_secret_version
       else coalesce(change.verified_secret_version, s.verified_secret_version)
     end,
     failures_in_row = ${FAILURES_IN_ROW},
     in_row_since = case when (s.failures_in_row = 0) = (${FAILURES_IN_ROW} = 0) then s.in_row_since else now() end,
     certificate_valid_from = case
       when change.certificate_url_version = s.url_version then change.certificate_valid_from
       else s.certificate_valid_from
     end,
     certificate_valid_to = case
       when change.certificate_url_version = s.url_version then change.certificate_valid_to
       else s.certificate_valid_to
     end
   from locked
   join ${unnestColumns(SUBSCRIPTION_CHANGE, 'change')} on change.id = locked.id
   where s.id = locked.id`,
};

/** Writes the deliveries, which the transaction has locked, then the changed subscriptions. */
export function writeSettlements(
  tx: Pick<Transaction, 'query'>,
  {
    settled,
    subscriptions,
  }: {
    readonly settled: readonly { readonly delivery: { readonly id: string }; readonly change: Change }[];
    readonly subscriptions: ReadonlyMap<string, SubscriptionChange>;
  },
): void {
  if (settled.length > 0) {
    const changes = settled.map(({ delivery, change }) => ({ endsLease: true, ...change, id: delivery.id }));
    void tx.query(SETTLE_DELIVERIES, columnArrays(DELIVERY_CHANGE, changes));
  }
  if (subscriptions.size > 0) {
    const changes = [...subscriptions].map(([id, { verified, certificate, ...change }]) => ({
      ...{ id, ...change, ...certificate },
      verifiedUrl: verified?.urlVersion,
      verifiedSecret: verified?.secretVersion,
      certificateUrl: certificate?.urlVersion,
    }));
    void tx.query(CHANGE_SUBSCRIPTIONS, columnArrays(SUBSCRIPTION_CHANGE, changes));
  }
}

/** So that of two deliveries about a resource that end at a time, the later one sees that the other has ended. */
const LOCK_RESOURCES = `
  select pg_advisory_xact_lock(hashtextextended(key, 0))
  from (select distinct subscription_id || ' ' || resource_id as key
    from unnest($1::text[], $2::text[]) as ended (subscription_id, resource_id) order by 1) keys`;

/** Its lock waits for a claim that moves the delivery out of the way, whose snapshot may be older than the end of the one before. */
const MAKE_NEXT_DUE = {
  name: 'make-next-due',
  text: `update deliveries d set ${setDueAt('now()')}
   from unnest($1::text[], $2::text[]) as ended (subscription_id, resource_id)
   cross join lateral (
     select n.id from deliveries n
     where n.subscription_id = ended.subscription_id and n.resource_id = ended.resource_id and n.ordered
     order by n.number limit 1
   ) next
   where d.id = next.id and d.attempts = 0 and d.lease_id is null`,
};

/** Makes the deliveries due that waited for ordered ones, which the transaction has ended. */
export function makeNextDue(
  tx: Transaction,
  settled: readonly {
    readonly delivery: {
      readonly subscriptionId: string;
      readonly resourceId: string;
      readonly ordered: boolean;
    };
    readonly change: Change;
  }[],
): void {
  const ended = settled.filter(
    ({ delivery, change }) => delivery.ordered && change.kind !== 'retry_scheduled',
  );
  if (ended.length === 0) return;
  const subscriptionIds = ended.map(({ delivery }) => delivery.subscriptionId);
  const values = [subscriptionIds, ended.map(({ delivery }) => delivery.resourceId)];
  void tx.query(LOCK_RESOURCES, values);
  void tx.query(MAKE_NEXT_DUE, values);
  deliveriesWaiting.tell(tx, ...new Set(subscriptionIds));
}
