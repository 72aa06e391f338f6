import {
  requestTechnicalContactOperation,
  useTechnicalContactTokenOperation,
} from '@partner/proto-contracts/internal/access/technical-contact';
import { getTechnicalContactOperation } from '@partner/proto-contracts/resources/technical-contact/operations';
import {
  TECHNICAL_CONTACT_LIMITS,
  type TechnicalContact,
} from '@partner/proto-contracts/resources/technical-contact/technical-contact';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { implement, implementInternal } from '@partner/kernel/amqp/implement';
import { notFound } from '@partner/kernel/process/service-error';
import { callingActor, callingCompany } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import { type Queryable, queryWithin } from '../../database/database.js';
import { type AccessOperation, inTransaction } from '../access-deps.js';
import { lockCompany } from '../lock-company.js';
import { noticeToAddress } from '../colleagues/queue-notices.js';

const HOUR_MS = 3_600_000;

interface TechnicalContactRow {
  readonly email: string | null;
  readonly confirmedAt: Date | null;
  readonly pendingEmail: string | null;
  readonly pendingExpiresAt: Date | null;
}

/** Returns the contact of a company. An address with an expired link is not pending. */
const getTechnicalContact: AccessOperation = ({ database, clock }) =>
  implement(getTechnicalContactOperation, async ({ companyId, timeoutMs }) => {
    const within = queryWithin(database, { companyId, timeoutMs: timeoutMs() });
    return { json: JSON.stringify(await readContact(within, companyId, clock())) };
  });

async function readContact(database: Queryable, companyId: string, now: Date): Promise<TechnicalContact> {
  const [row] = await database.query<TechnicalContactRow>(
    `select email, confirmed_at as "confirmedAt",
       case when pending_expires_at > $2 then pending_email end as "pendingEmail",
       case when pending_expires_at > $2 then pending_expires_at end as "pendingExpiresAt"
     from technical_contacts where company_id = $1`,
    [companyId, now],
  );
  if (row === undefined) return { email: null, confirmedAt: null, pending: null };
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

/**
 * Makes an address pending, in place of an earlier pending one. The confirmed address stays until the confirmation.
 *
 * Fails with `not_found`.
 *
 * Atomic: the pending address and its entry in the audit trail. Lock: the company.
 */
const requestTechnicalContact: AccessOperation = ({ database, clock, logger }) =>
  implementInternal(requestTechnicalContactOperation, async ({ email, tokenSha256 }, context) => {
    const companyId = callingCompany(context.caller);
    const actor = callingActor(context.caller);
    const contact = await inTransaction(database, context, async (tx) => {
      await lockCompany(tx, companyId);
      const now = clock();
      const expiresAt = new Date(now.getTime() + TECHNICAL_CONTACT_LIMITS.confirmationHours * HOUR_MS);
      await tx.query(
        `insert into technical_contacts (company_id, pending_email, pending_token_sha256, pending_expires_at)
           values ($1, $2, $3, $4)
           on conflict (company_id) do update set pending_email = excluded.pending_email,
             pending_token_sha256 = excluded.pending_token_sha256, pending_expires_at = excluded.pending_expires_at`,
        [companyId, email, Buffer.from(tokenSha256, 'hex'), expiresAt],
      );
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'technical_contact.requested',
        subject: { type: 'company', id: companyId },
        details: { email, expiresAt },
      });
      return readContact(tx, companyId, now);
    });
    logger.info({ companyId, membershipId: actor.membershipId }, 'technical_contact.requested');
    return contact;
  });

/**
 * Confirms the pending address of this token as the technical contact, and uses the token up.
 *
 * Fails with `not_found` for a token that is unknown, used, replaced or expired.
 *
 * Atomic: the contact, its entry in the audit trail, and the email to the former contact. Lock: the contact.
 */
const useTechnicalContactToken: AccessOperation = ({ database, clock, logger }) =>
  implementInternal(useTechnicalContactTokenOperation, async ({ tokenSha256 }, context) => {
    const companyId = await inTransaction(database, context, async (tx) => {
      const [confirmed] = await tx.query<{ companyId: string; email: string; former: string | null }>(
        `with known as (
             select company_id, email from technical_contacts where pending_token_sha256 = $1 for update
           )
           update technical_contacts contact set email = pending_email, confirmed_at = $2, pending_email = null,
             pending_token_sha256 = null, pending_expires_at = null
           from known
           where contact.company_id = known.company_id and pending_token_sha256 = $1 and pending_expires_at > $2
           returning contact.company_id as "companyId", contact.email, known.email as former`,
        [Buffer.from(tokenSha256, 'hex'), clock()],
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
    });
    logger.info({ companyId }, 'technical_contact.confirmed');
    return {};
  });

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

/** The operations with which owners and operators set the technical contact of a company. The callers mail the links. */
export const TECHNICAL_CONTACT_OPERATIONS = [
  getTechnicalContact,
  requestTechnicalContact,
  useTechnicalContactToken,
];
