import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type {
  Announcement,
  AnnouncementPage,
} from '@partner/proto-contracts/resources/announcement/announcement';
import { invalidArgument } from '@partner/kernel/process/validation';
import { newId } from '@partner/kernel/process/ids';
import type { Database, Queryable, TransactionLimits } from '../database/database.js';
import { getCompany } from './operator-company.js';

/** Far longer than sending one email takes. */
const CLAIM_MS = 5 * 60_000;

/** The confirmed technical contact of a company. */
export interface RecipientRow {
  readonly companyId: string;
  readonly companyName: string;
  readonly email: string;
}

/** An announcement to one address, without its id and time. */
type Recipient = Omit<Announcement, 'id' | 'sentAt'>;

/** Fails with `invalid_argument` for an invalid date. */
function checkAnnouncement(announcement: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(announcement)) return announcement;
  throw invalidArgument([{ path: 'announcement', message: 'must be a date such as 2026-08-26' }]);
}

/** A page of the confirmed contacts that have not received an announcement, by company id. */
export async function listAnnouncementRecipients(
  database: Queryable,
  query: {
    readonly announcement: string;
    readonly afterCompanyId: string | undefined;
    readonly limit: number;
  },
): Promise<{ readonly recipients: readonly RecipientRow[]; readonly hasMore: boolean }> {
  const rows = await database.query<RecipientRow>(
    `select c.id as "companyId", c.name as "companyName", t.email
     from technical_contacts t join companies c on c.id = t.company_id
     where t.email is not null and ($2::text is null or c.id > $2) and not exists (
       select 1 from sent_announcements s
       where s.announcement = $1 and s.company_id = c.id and lower(s.email) = lower(t.email) and s.sent_at is not null
     )
     order by c.id limit $3`,
    [checkAnnouncement(query.announcement), query.afterCompanyId ?? null, query.limit + 1],
  );
  return { recipients: rows.slice(0, query.limit), hasMore: rows.length > query.limit };
}

/**
 * Claims an announcement to an address for one run; false: it was sent, or another run has claimed it.
 *
 * The claim of a run that crashed expires after 5 minutes. Fails with `not_found` for an unknown company.
 *
 * Atomic: of concurrent runs, one gets the claim.
 */
export async function claimAnnouncement(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly clock: () => Date },
  claim: Recipient,
  limits: TransactionLimits = {},
): Promise<boolean> {
  checkAnnouncement(claim.announcement);
  return deps.database.transaction(
    async (tx) => {
      await getCompany(tx, claim.companyId);
      const now = deps.clock();
      const claimed = await tx.query(
        `insert into sent_announcements as s (id, announcement, company_id, email, claimed_at, operator)
         values ($1, $2, $3, $4, $5, $6) on conflict (announcement, company_id, lower(email))
         do update set claimed_at = excluded.claimed_at, operator = excluded.operator
         where s.sent_at is null and s.claimed_at <= $7 returning s.id`,
        [
          newId('ann'),
          claim.announcement,
          claim.companyId,
          claim.email,
          now,
          claim.operator,
          new Date(now.getTime() - CLAIM_MS),
        ],
      );
      return claimed.length > 0;
    },
    { ...limits, companyId: claim.companyId },
  );
}

/** Releases the claim of an announcement that was not sent; idempotent. */
export async function releaseAnnouncement(
  deps: { readonly database: Pick<Database, 'transaction'> },
  { announcement, companyId, email }: Omit<Recipient, 'operator'>,
  limits: TransactionLimits = {},
): Promise<void> {
  await deps.database.transaction(
    (tx) =>
      tx.query(
        `delete from sent_announcements
         where announcement = $1 and company_id = $2 and lower(email) = lower($3) and sent_at is null`,
        [announcement, companyId, email],
      ),
    { ...limits, companyId },
  );
}

/** Records that an announcement was sent to an address; idempotent. Fails with `not_found` for an unknown company. */
export async function recordAnnouncement(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly clock: () => Date },
  sent: Recipient,
  limits: TransactionLimits = {},
): Promise<void> {
  checkAnnouncement(sent.announcement);
  await deps.database.transaction(
    async (tx) => {
      await getCompany(tx, sent.companyId);
      await tx.query(
        `insert into sent_announcements as s (id, announcement, company_id, email, claimed_at, sent_at, operator)
         values ($1, $2, $3, $4, $5, $5, $6) on conflict (announcement, company_id, lower(email))
         do update set sent_at = excluded.sent_at, operator = excluded.operator where s.sent_at is null`,
        [newId('ann'), sent.announcement, sent.companyId, sent.email, deps.clock(), sent.operator],
      );
    },
    { ...limits, companyId: sent.companyId },
  );
}

/** A page of sent announcements with their recipients, newest first. */
export async function listAnnouncements(
  database: Queryable,
  query: {
    readonly announcement: string | undefined;
    readonly beforeId: string | undefined;
    readonly limit: number;
  },
): Promise<AnnouncementPage> {
  const rows = await database.query<Omit<Announcement, 'sentAt'> & { readonly sentAt: Date }>(
    `select id, announcement, company_id as "companyId", email, sent_at as "sentAt", operator
     from sent_announcements
     where sent_at is not null and ($1::text is null or announcement = $1) and ($2::text is null or id < $2)
     order by id desc limit $3`,
    [query.announcement ?? null, query.beforeId ?? null, query.limit + 1],
  );
  const announcements = rows
    .slice(0, query.limit)
    .map(({ sentAt, ...sent }) => ({ ...sent, sentAt: formatDateTime(sentAt) }));
  return { announcements, hasMore: rows.length > query.limit };
}
