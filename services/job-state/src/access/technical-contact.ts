import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import {
  TECHNICAL_CONTACT_LIMITS,
  type TechnicalContact,
} from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable, TransactionLimits } from '../database/database.js';
import { noticeToAddress } from './queue-notices.js';
import { lockCompany } from './insert-key.js';

const HOUR_MS = 3_600_000;

/** A company's technical contact, and the address with a pending confirmation. */
export interface TechnicalContactRow {
  readonly email: string | null;
  readonly confirmedAt: Date | null;
  readonly pendingEmail: string | null;
  readonly pendingExpiresAt: Date | null;
}

interface Deps {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info'>;
}

/** Returns the contact of a company. An address with an expired link is not pending. */
export async function getTechnicalContact(
  database: Queryable,
  companyId: string,
  now: Date,
): Promise<TechnicalContactRow> {
  const [contact] = await database.query<TechnicalContactRow>(
    `select email, confirmed_at as "confirmedAt",
       case when pending_expires_at > $2 then pending_email end as "pendingEmail",
       case when pending_expires_at > $2 then pending_expires_at end as "pendingExpiresAt"
     from technical_contacts where company_id = $1`,
    [companyId, now],
  );
  return contact ?? { email: null, confirmedAt: null, pendingEmail: null, pendingExpiresAt: null };
}

/**
 * Makes an address pending, in place of an earlier pending one. The confirmed address stays until the confirmation.
 *
 * Fails with `not_found`.
 *
 * Atomic: the pending address and its entry in the audit trail. Lock: the company.
 */
export async function requestTechnicalContact(
  deps: Deps,
  request: {
    readonly companyId: string;
    readonly actor: Actor | undefined;
    readonly email: string;
    readonly tokenSha256: Buffer;
  },
  limits: TransactionLimits = {},
): Promise<TechnicalContactRow> {
  const { companyId, actor, email, tokenSha256 } = request;
  const contact = await deps.database.transaction(
    async (tx) => {
      await lockCompany(tx, companyId);
      const now = deps.clock();
      const expiresAt = new Date(now.getTime() + TECHNICAL_CONTACT_LIMITS.confirmationHours * HOUR_MS);
      await tx.query(
        `insert into technical_contacts (company_id, pending_email, pending_token_sha256, pending_expires_at)
         values ($1, $2, $3, $4)
         on conflict (company_id) do update set pending_email = excluded.pending_email,
           pending_token_sha256 = excluded.pending_token_sha256, pending_expires_at = excluded.pending_expires_at`,
        [companyId, email, tokenSha256, expiresAt],
      );
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'technical_contact.requested',
        subject: { type: 'company', id: companyId },
        details: { email, expiresAt },
      });
      return getTechnicalContact(tx, companyId, now);
    },
    { ...limits, companyId },
  );
  deps.logger.info({ companyId, membershipId: actor?.membershipId }, 'technical_contact.requested');
  return contact;
}

/**
 * Confirms the pending address of this token as the technical contact, and uses the token up.
 *
 * Fails with `not_found` for a token that is unknown, used, replaced or expired.
 *
 * Atomic: the contact, its entry in the audit trail, and the email to the former contact. Lock: the contact.
 */
export async function confirmTechnicalContact(
  deps: Deps,
  tokenSha256: Buffer,
  limits: TransactionLimits = {},
): Promise<void> {
  const companyId = await deps.database.transaction(async (tx) => {
    const now = deps.clock();
    const [confirmed] = await tx.query<{ companyId: string; email: string; former: string | null }>(
      `with known as (
         select company_id, email from technical_contacts where pending_token_sha256 = $1 for update
       )
       update technical_contacts contact set email = pending_email, confirmed_at = $2, pending_email = null,
         pending_token_sha256 = null, pending_expires_at = null
       from known
       where contact.company_id = known.company_id and pending_token_sha256 = $1 and pending_expires_at > $2
       returning contact.company_id as "companyId", contact.email, known.email as former`,
      [tokenSha256, now],
    );
    if (confirmed === undefined) throw notFound('pending technical contact');
    await recordAudit(tx, {
      companyId: confirmed.companyId,
      actor: undefined,
      action: 'technical_contact.confirmed',
      subject: { type: 'company', id: confirmed.companyId },
      details: { email: confirmed.email },
    });
    await announceReplacement(tx, confirmed);
    return confirmed.companyId;
  }, limits);
  deps.logger.info({ companyId }, 'technical_contact.confirmed');
}

/** Queues the email to a former contact, who else would not learn of the replacement. It says who requested it. */
async function announceReplacement(
  tx: Queryable,
  { companyId, email, former }: { companyId: string; email: string; former: string | null },
): Promise<void> {
  if (former === null || former.toLowerCase() === email.toLowerCase()) return;
  const [requester] = await tx.query<{ displayName: string | null; remoteAddress: string | null }>(
    `select display_name as "displayName", remote_address as "remoteAddress" from audit_entries
     where company_id = $1 and action = 'technical_contact.requested' order by id desc limit 1`,
    [companyId],
  );
  const actor = {
    membershipId: undefined,
    displayName: requester?.displayName ?? undefined,
    remoteAddress: requester?.remoteAddress ?? undefined,
  };
  await noticeToAddress(
    tx,
    { companyId, subjectId: companyId, kind: 'technical_contact_replaced', actor },
    former,
  );
}

/** A contact as the public API shows it. */
export function shownTechnicalContact(row: TechnicalContactRow): TechnicalContact {
  const { email, confirmedAt, pendingEmail, pendingExpiresAt } = row;
  return {
    email,
    confirmedAt: formatOptionalDateTime(confirmedAt),
    pending:
      pendingEmail === null || pendingExpiresAt === null
        ? null
        : { email: pendingEmail, expiresAt: formatDateTime(pendingExpiresAt) },
  };
}
