import {
  claimAnnouncementOperation,
  listAnnouncementRecipientsOperation,
  listAnnouncementsOperation,
  recordAnnouncementOperation,
  releaseAnnouncementOperation,
} from '@partner/proto-contracts/internal/operators/announcements';
import type { Announcement } from '@partner/proto-contracts/resources/announcement/announcement';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { invalidArgument } from '@partner/kernel/process/validation';
import { callingOperator } from '../audit/actor.js';
import { getCompany } from './companies.js';
import { type OperatorOperation, PAGE_SIZE, within } from './operator-deps.js';

/** Far longer than sending one email takes. */
const CLAIM_MS = 5 * 60_000;

/** Fails with `invalid_argument` for an invalid date. */
function checkAnnouncement(announcement: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(announcement)) return announcement;
  throw invalidArgument([{ path: 'announcement', message: 'must be a date such as 2026-08-26' }]);
}

/** Returns a page of the confirmed contacts that have not received an announcement, by company id. */
const listRecipients: OperatorOperation = (deps) =>
  implementInternal(listAnnouncementRecipientsOperation, async (query, context) => {
    const { announcement, afterCompanyId, limit = PAGE_SIZE } = query;
    const rows = await within(deps, context).query<{
      readonly companyId: string;
      readonly companyName: string;
      readonly email: string;
    }>(
      `select c.id as "companyId", c.name as "companyName", t.email
       from technical_contacts t join companies c on c.id = t.company_id
       where t.email is not null and ($2::text is null or c.id > $2) and not exists (
         select 1 from sent_announcements s
         where s.announcement = $1 and s.company_id = c.id and lower(s.email) = lower(t.email) and s.sent_at is not null
       )
       order by c.id limit $3`,
      [checkAnnouncement(announcement), afterCompanyId ?? null, limit + 1],
    );
    return { recipients: rows.slice(0, limit), hasMore: rows.length > limit };
  });

/**
 * Claims an announcement to an address for one run; false: it was sent, or another run has claimed it.
 *
 * The claim of a run that crashed expires after 5 minutes. Fails with `not_found` for an unknown company.
 *
 * Atomic: of concurrent runs, one gets the claim.
 */
const claim: OperatorOperation = ({ database, clock }) =>
  implementInternal(claimAnnouncementOperation, async (input, { caller, timeoutMs }) => {
    const { announcement, companyId, email } = input;
    checkAnnouncement(announcement);
    const claimed = await database.transaction(
      async (tx) => {
        await getCompany(tx, companyId);
        const now = clock();
        return tx.query(
          `insert into sent_announcements as s (id, announcement, company_id, email, claimed_at, operator)
           values ($1, $2, $3, $4, $5, $6) on conflict (announcement, company_id, lower(email))
           do update set claimed_at = excluded.claimed_at, operator = excluded.operator
           where s.sent_at is null and s.claimed_at <= $7 returning s.id`,
          [
            ...[newId('ann'), announcement, companyId, email, now, callingOperator(caller)],
            new Date(now.getTime() - CLAIM_MS),
          ],
        );
      },
      { companyId, timeoutMs: timeoutMs() },
    );
    return { claimed: claimed.length > 0 };
  });

/** Releases the claim of an announcement that was not sent; idempotent. */
const release: OperatorOperation = ({ database }) =>
  implementInternal(releaseAnnouncementOperation, async (input, { timeoutMs }) => {
    const { announcement, companyId, email } = input;
    await database.query(
      `delete from sent_announcements
       where announcement = $1 and company_id = $2 and lower(email) = lower($3) and sent_at is null`,
      [announcement, companyId, email],
      { companyId, timeoutMs: timeoutMs() },
    );
    return {};
  });

/** Records that an announcement was sent to an address; idempotent. Fails with `not_found` for an unknown company. */
const record: OperatorOperation = ({ database, clock }) =>
  implementInternal(recordAnnouncementOperation, async (input, { caller, timeoutMs }) => {
    const { announcement, companyId, email } = input;
    checkAnnouncement(announcement);
    await database.transaction(
      async (tx) => {
        await getCompany(tx, companyId);
        await tx.query(
          `insert into sent_announcements as s (id, announcement, company_id, email, claimed_at, sent_at, operator)
           values ($1, $2, $3, $4, $5, $5, $6) on conflict (announcement, company_id, lower(email))
           do update set sent_at = excluded.sent_at, operator = excluded.operator where s.sent_at is null`,
          [newId('ann'), announcement, companyId, email, clock(), callingOperator(caller)],
        );
      },
      { companyId, timeoutMs: timeoutMs() },
    );
    return {};
  });

/** Returns a page of sent announcements with their recipients, newest first. */
const list: OperatorOperation = (deps) =>
  implementInternal(listAnnouncementsOperation, async (query, context) => {
    const { announcement, beforeId, limit = PAGE_SIZE } = query;
    const rows = await within(deps, context).query<Omit<Announcement, 'sentAt'> & { readonly sentAt: Date }>(
      `select id, announcement, company_id as "companyId", email, sent_at as "sentAt", operator
       from sent_announcements
       where sent_at is not null and ($1::text is null or announcement = $1) and ($2::text is null or id < $2)
       order by id desc limit $3`,
      [announcement ?? null, beforeId ?? null, limit + 1],
    );
    const announcements = rows
      .slice(0, limit)
      .map(({ sentAt, ...sent }) => ({ ...sent, sentAt: formatDateTime(sentAt) }));
    return { announcements, hasMore: rows.length > limit };
  });

/** The operations of announcements to technical contacts, which `partnerctl` mails. */
export const ANNOUNCEMENT_OPERATIONS = [listRecipients, claim, release, record, list];
