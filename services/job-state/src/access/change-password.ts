import { invalidArgument } from '@partner/kernel/validation';
import type { Logger } from '@partner/kernel/logger';
import { isPasswordHash } from '@partner/kernel/password-hashing';
import { ServiceError } from '@partner/kernel/service-error';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Transaction, TransactionLimits } from '../database/database.js';
import type { MembershipOfCompany } from './get-owner.js';
import { passwordVersion, type SessionsBasis } from './password-version.js';

/**
 * Replaces the acting owner's password, and returns the new version.
 *
 * Fails with `password_wrong` if the owner has another password than the proved one, or is no longer an owner. Fails with
 * `invalid_argument` for a hash with other parameters than the service's.
 *
 * Atomic: the password and the entry in the audit trail. Lock: the membership.
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
 * Sets the password of a membership that the transaction has locked, ends its link and records the change.
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
  const [changed] = await tx.query<{ displayName: string }>(
    'update memberships set password_hash = $2 where id = $1 returning display_name as "displayName"',
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
}
