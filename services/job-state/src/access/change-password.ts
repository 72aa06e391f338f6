import { invalidArgument } from '@partner/kernel/process/validation';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { isPasswordHash } from '@partner/kernel/security/password-hashing';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import type { MembershipOfCompany } from './get-owner.js';
import { passwordVersion, type SessionsBasis } from './password-version.js';
import { noticeToPerson } from './queue-notices.js';

/**
 * Replaces the acting owner's password, and returns the new version.
 *
 * Fails with `password_wrong` if the owner has another password than the proved one, or is no longer an owner. Fails with
 * `invalid_argument` for a hash with other parameters than the service's.
 *
 * Atomic: the password, the entry in the audit trail and the notice. Lock: the membership.
 */
export async function changePassword(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'info'> },
  request: MembershipOfCompany & {
    readonly actor: Actor | undefined;
    readonly formerPasswordVersion: string;
    readonly passwordHash: string;
  },
  limits: TransactionLimits = {},
): Promise<string> {
  const { companyId, membershipId, formerPasswordVersion, passwordHash, actor } = request;
  const version = await deps.database.transaction(
    async (tx) => {
      const [owner] = await tx.query<SessionsBasis>(
        `select password_hash as "passwordHash", session_version as "sessionVersion" from memberships
         where id = $1 and company_id = $2 and active and role in ('OWNER', 'VIEWER') and password_hash is not null
         for no key update`,
        [membershipId, companyId],
      );
      if (owner === undefined || passwordVersion(owner) !== formerPasswordVersion) {
        throw new ServiceError('password_wrong', 'the password was changed meanwhile; sign in again');
      }
      await setPassword(tx, { companyId, membershipId, passwordHash, actor });
      return passwordVersion({ ...owner, passwordHash });
    },
    { ...limits, companyId },
  );
  deps.logger.info({ companyId, membershipId }, 'owner.password_changed');
  return version;
}

/**
 * Sets the password of a membership that the transaction has locked, ends its link, records the change and queues the notice of one
 * that replaces another.
 *
 * Fails with `invalid_argument` for a hash with other parameters than the service's.
 */
export async function setPassword(
  tx: Transaction,
  change: MembershipOfCompany & { readonly passwordHash: string; readonly actor: Actor | undefined },
): Promise<void> {
  const { companyId, membershipId, passwordHash, actor } = change;
  if (!isPasswordHash(passwordHash)) {
    const message = 'must be a PHC string of Argon2id with the parameters of the service';
    throw invalidArgument([{ path: 'password_hash', message }]);
  }
  const [changed] = await tx.query<{ displayName: string; isReplaced: boolean }>(
    `update memberships as member set password_hash = $2 from memberships as former
     where member.id = $1 and former.id = member.id
     returning member.display_name as "displayName", former.password_hash is not null as "isReplaced"`,
    [membershipId, passwordHash],
  );
  await tx.query('delete from password_links where membership_id = $1', [membershipId]);
  await recordAudit(tx, {
    companyId,
    actor,
    action: 'owner.updated',
    subject: { type: 'owner', id: membershipId },
    details: { changed: ['password'], displayName: changed?.displayName },
  });
  if (changed?.isReplaced === true) {
    await noticeToPerson(tx, { companyId, kind: 'password_changed', subjectId: membershipId, actor });
  }
}
