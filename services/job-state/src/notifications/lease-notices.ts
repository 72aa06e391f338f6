import type { EmailOutcome } from '@partner/proto-contracts/internal/notifications/notification-emails';
import type { Database, TransactionLimits } from '../database/database.js';

/** A security notice under a lease, with its number of equal occasions. */
export interface LeasedNotice {
  readonly leaseId: string;
  readonly email: string;
  readonly companyName: string;
  readonly kind: string;
  /** JSON text: of the last occasion. */
  readonly details: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/**
 * Leases up to `limit` security notices that are due to one caller, for 5 minutes.
 *
 * The first of equal ones is due at once; later ones an hour after the previous email about the same, as one. Locks: the
 * notices, without waiting for any.
 */
export async function leaseNotices(
  database: Pick<Database, 'transaction'>,
  limit: number,
  limits: TransactionLimits = {},
): Promise<readonly LeasedNotice[]> {
  return database.transaction(
    (tx) =>
      tx.query<LeasedNotice>(
        `with due as (
           select n.company_id, n.kind, n.subject_id, n.email, c.name
           from security_notices n join companies c on c.id = n.company_id
           where n.count > 0 and (n.not_before is null or n.not_before <= now())
             and (n.mailed_at is null or n.mailed_at <= now() - interval '1 hour')
           order by n.last_at limit $1
           for no key update of n skip locked
         )
         update security_notices n set
           lease_id = gen_random_uuid()::text, leased_count = n.count, not_before = now() + interval '5 minutes'
         from due
         where (n.company_id, n.kind, n.subject_id, n.email) = (due.company_id, due.kind, due.subject_id, due.email)
         returning n.lease_id as "leaseId", n.email, due.name as "companyName", n.kind, n.details::text as details, n.count,
           n.first_at as "firstAt", n.last_at as "lastAt"`,
        [limit],
      ),
    limits,
  );
}

/**
 * Records the outcome of a leased notice.
 *
 * One that was not sent is due again after 5 minutes, or after a day if the mail server refused it for good. The report of a lease that
 * has ended changes nothing. If the caller ends before its report, the email is sent once more.
 *
 * Lock: the notice.
 */
export async function reportNotice(
  database: Pick<Database, 'transaction'>,
  { leaseId, outcome }: { readonly leaseId: string; readonly outcome: EmailOutcome },
  limits: TransactionLimits = {},
): Promise<void> {
  await database.transaction(
    (tx) =>
      tx.query(
        `update security_notices set lease_id = null, leased_count = null,
           count = case $2 when 'sent' then count - leased_count else count end,
           first_at = case $2 when 'sent' then last_at else first_at end,
           mailed_at = case $2 when 'sent' then now() else mailed_at end,
           not_before = case $2
             when 'refused' then now() + interval '1 day'
             when 'failed' then now() + interval '5 minutes'
           end
         where lease_id = $1`,
        [leaseId, outcome],
      ),
    limits,
  );
}
