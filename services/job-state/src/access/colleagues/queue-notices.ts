import type { SecurityNoticeKind } from '@partner/proto-contracts/resources/security-notice/security-notice';
import type { Actor } from '../../audit/actor.js';
import type { OwnerChange } from '../../audit/record-audit.js';
import type { Queryable } from '../../database/database.js';
import { canSignIn } from './membership.js';

/** Something that a person must learn by email, whatever their settings. */
interface SecurityNotice {
  readonly companyId: string;
  readonly kind: SecurityNoticeKind;
  /** The membership, company or API key that it is about; notices of one kind about one subject are equal. */
  readonly subjectId: string;
  /** Who did it; undefined: no signed-in person. */
  readonly actor: Actor | undefined;
  readonly details?: Readonly<Record<string, string | number>> | undefined;
}

const OWNERS = `select member.email from memberships as member
  where member.company_id = $1 and member.role = 'OWNER' and member.active and member.email is not null and ${canSignIn('member')}`;

/** Queues a notice for the person who was changed, in the transaction of the change. Nothing without an address. */
export function noticeToPerson(
  tx: Queryable,
  { membershipId: subjectId, ...change }: OwnerChange,
  kind: SecurityNoticeKind,
  details?: SecurityNotice['details'],
): Promise<void> {
  return queue(
    tx,
    { ...change, subjectId, kind, details },
    `select member.email from memberships as member where member.id = $3 and member.email is not null`,
  );
}

/** Queues a notice for each owner of the company who can sign in. */
export function noticeToOwners(tx: Queryable, notice: SecurityNotice): Promise<void> {
  return queue(tx, notice, OWNERS);
}

/** Queues a notice about a new owner for each other owner of the company who can sign in. */
export function noticeOfOwner(
  tx: Queryable,
  { membershipId: subjectId, ...change }: OwnerChange,
  displayName: string,
): Promise<void> {
  return queue(
    tx,
    { ...change, subjectId, kind: 'owner_added', details: { displayName } },
    `${OWNERS} and member.id <> $3`,
  );
}

export function noticeToAddress(tx: Queryable, notice: SecurityNotice, email: string): Promise<void> {
  return queue(tx, notice, 'select $5::text as email', email);
}

/** Equal notices that are not mailed yet become one, with their number. */
async function queue(
  tx: Queryable,
  { companyId, kind, subjectId, actor, details = {} }: SecurityNotice,
  recipients: string,
  ...more: readonly string[]
): Promise<void> {
  const isOwn = actor?.membershipId === subjectId;
  const origin = {
    by: isOwn ? undefined : actor?.displayName,
    remoteAddress: actor?.remoteAddress,
    userAgent: actor?.userAgent?.slice(0, 200),
  };
  await tx.query(
    `insert into security_notices as known (company_id, kind, subject_id, email, details, count, first_at, last_at)
     select $1, $2, $3, recipient.email, $4, 1, now(), now() from (${recipients}) recipient order by recipient.email
     on conflict (company_id, kind, subject_id, email) do update set
       details = excluded.details, count = known.count + 1, last_at = excluded.last_at,
       first_at = case known.count when 0 then excluded.first_at else known.first_at end`,
    [companyId, kind, subjectId, JSON.stringify({ ...origin, ...details }), ...more],
  );
}
