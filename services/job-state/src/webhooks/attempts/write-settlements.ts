import type { Transaction } from '../../database/database.js';
import { FAILING_AFTER } from '../deliveries/claim-rule.js';
import { dueAt, RETAINED_COLUMNS, setDueAt } from '../deliveries/delivery-columns.js';
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

const SETTLE = {
  name: 'settle-deliveries',
  text: `with change as materialized (
     select * from unnest($1::text[], $2::text[], $3::integer[], $4::double precision[], $5::boolean[])
       as change (id, state, attempts, wait_ms, ends_lease)
   ), ended as (
     delete from deliveries d using change where d.id = change.id and change.state <> 'retry_scheduled'
     returning d.*, change.state as end_state, change.attempts as end_attempts
   ), finished as (
     insert into finished_deliveries (${RETAINED_COLUMNS}, state, attempts, finished_at)
     select ${RETAINED_COLUMNS}, end_state, end_attempts, now() from ended
   ), scheduled as (
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
     where d.id = change.id and change.state = 'retry_scheduled'
   ), locked as materialized (
     select s.id from subscriptions s where s.id = any($6::text[]) order by s.id for no key update
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
     failures_in_row = least(
       case when change.has_delivered then 0 else s.failures_in_row end + change.failures, ${FAILING_AFTER}
     ),
     certificate_valid_from = case
       when change.certificate_url_version = s.url_version then change.certificate_valid_from
       else s.certificate_valid_from
     end,
     certificate_valid_to = case
       when change.certificate_url_version = s.url_version then change.certificate_valid_to
       else s.certificate_valid_to
     end
   from locked
   join unnest($6::text[], $7::text[], $8::integer[], $9::boolean[], $10::integer[], $11::integer[], $12::timestamptz[],
       $13::timestamptz[], $14::integer[])
     as change (id, health, verified_url_version, has_delivered, failures, certificate_url_version, certificate_valid_from,
       certificate_valid_to, verified_secret_version)
     on change.id = locked.id
   where s.id = locked.id`,
};

/** Writes the deliveries, then the changed subscriptions. All of them are locked in order before the first write. */
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
  const changed = [...subscriptions].sort(([a], [b]) => (a < b ? -1 : 1));
  void tx.query(SETTLE, [
    settled.map(({ delivery }) => delivery.id),
    settled.map(({ change }) => change.kind),
    settled.map(({ change }) => change.attempts),
    settled.map(({ change }) => (change.kind === 'retry_scheduled' ? change.backoffMs : null)),
    settled.map(({ change }) => change.kind !== 'retry_scheduled' || change.endsLease),
    changed.map(([id]) => id),
    changed.map(([, change]) => change.health ?? null),
    changed.map(([, change]) => change.verified?.urlVersion ?? null),
    changed.map(([, change]) => change.hasDelivered),
    changed.map(([, change]) => change.failures),
    changed.map(([, change]) => change.certificate?.urlVersion ?? null),
    changed.map(([, change]) => change.certificate?.validFrom ?? null),
    changed.map(([, change]) => change.certificate?.validTo ?? null),
    changed.map(([, change]) => change.verified?.secretVersion ?? null),
  ]);
}
