import {
  createPasswordLinkOperation,
  findPasswordLinkOperation,
  replacePasswordOperation,
  usePasswordTokenOperation,
} from '@partner/proto-contracts/internal/access/passwords';
import { PASSWORD_LINKS } from '@partner/proto-contracts/resources/password/password';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { isPasswordHash } from '@partner/kernel/security/password-hashing';
import { callingOwner } from '../../audit/actor.js';
import { type OwnerChange, recordOwnerChange } from '../../audit/record-audit.js';
import type { Queryable, Transaction } from '../../database/database.js';
import { type AccessOperation, inTransaction } from '../access-deps.js';
import { passwordVersion, SESSIONS_COLUMNS, type SessionsBasis } from './membership.js';
import { noticeToPerson } from './queue-notices.js';

const MINUTE_MS = 60_000;

/**
 * Replaces the caller's password, and returns the new version.
 *
 * Fails with `password_wrong` if the caller has another password than the proved one, or is no longer an owner or viewer. Fails with
 * `invalid_argument` for a hash with other parameters than the service's.
 *
 * Atomic: the password, the entry in the audit trail and the notice. Lock: the membership.
 */
const replacePassword: AccessOperation = ({ database, logger }) =>
  implementInternal(replacePasswordOperation, async (input, { caller, timeoutMs }) => {
    const { formerPasswordVersion, passwordHash } = input;
    const actor = callingOwner(caller);
    const { companyId, membershipId } = actor;
    const version = await inTransaction(database, { caller, timeoutMs }, async (tx) => {
      const [owner] = await tx.query<SessionsBasis>(
        `select ${SESSIONS_COLUMNS} from memberships as member
           where id = $1 and company_id = $2 and active and role in ('OWNER', 'VIEWER') and password_hash is not null
           for no key update`,
        [membershipId, companyId],
      );
      if (owner === undefined || passwordVersion(owner) !== formerPasswordVersion) {
        throw new ServiceError('password_wrong', 'the password was changed in the meantime; sign in again');
      }
      await setPassword(tx, { companyId, membershipId, actor }, passwordHash);
      return passwordVersion({ ...owner, passwordHash });
    });
    logger.info({ companyId, membershipId }, 'owner.password_changed');
    return { passwordVersion: version };
  });

/**
 * Sets the password of a membership that the transaction has locked, ends its link, records the change and queues the notice of one
 * that replaces another.
 *
 * Fails with `invalid_argument` for a hash with other parameters than the service's.
 */
async function setPassword(tx: Transaction, change: OwnerChange, passwordHash: string): Promise<void> {
  if (!isPasswordHash(passwordHash)) {
    const message = 'must be a PHC string of Argon2id with the parameters of the service';
    throw invalidArgument([{ path: 'password_hash', message }]);
  }
  const [changed] = await tx.query<{ displayName: string; isReplaced: boolean }>(
    `update memberships as member set password_hash = $2 from memberships as former
     where member.id = $1 and former.id = member.id
     returning member.display_name as "displayName", former.password_hash is not null as "isReplaced"`,
    [change.membershipId, passwordHash],
  );
  await tx.query('delete from password_links where membership_id = $1', [change.membershipId]);
  await recordOwnerChange(tx, change, { changed: ['password'], displayName: changed?.displayName });
  if (changed?.isReplaced === true) await noticeToPerson(tx, change, 'password_changed');
}

interface LinkedPerson {
  readonly membershipId: string;
  readonly companyId: string;
  readonly companyName: string;
  readonly displayName: string;
  readonly email: string;
}

const PERSON = `member.id as "membershipId", member.company_id as "companyId", company.name as "companyName",
  member.display_name as "displayName", member.email`;

const MAY_SIGN_IN = `member.active and member.role in ('OWNER', 'VIEWER') and member.email is not null`;

/**
 * Makes a link valid for the person with an email address, in place of an earlier one. Returns the address to mail it to.
 *
 * None for an unknown address, and for a person who cannot sign in: without a password, only an invitation or an operator
 * opens an account.
 *
 * Atomic: the link and its entry in the audit trail. Locks: the membership, then its link.
 */
const createPasswordLink: AccessOperation = ({ database, clock, logger }) =>
  implementInternal(createPasswordLinkOperation, async (input, context) => {
    const person = await inTransaction(database, context, async (tx) => {
      const [found] = await tx.query<LinkedPerson>(
        `select ${PERSON} from memberships as member join companies as company on company.id = member.company_id
           where lower(member.email) = lower($1) and ${MAY_SIGN_IN} and member.password_hash is not null
             and ($2::text is null or member.id = $2)
           for no key update of member`,
        [input.email, input.onlyMembershipId ?? null],
      );
      if (found === undefined) return undefined;
      const { membershipId, companyId, displayName } = found;
      const expiresAt = new Date(clock().getTime() + PASSWORD_LINKS.minutes * MINUTE_MS);
      await putPasswordLink(tx, { membershipId, tokenSha256: input.tokenSha256, expiresAt });
      const change = { companyId, membershipId, actor: undefined };
      await recordOwnerChange(tx, change, { displayName, expiresAt }, 'owner.password_link_requested');
      return found;
    });
    if (person === undefined) return {};
    const { companyId, membershipId, email } = person;
    logger.info({ companyId, membershipId }, 'owner.password_link_requested');
    return { email };
  });

/** Makes a link valid for a membership, in place of an earlier one. `tokenSha256` is in hexadecimal. */
export async function putPasswordLink(
  tx: Queryable,
  link: { readonly membershipId: string; readonly tokenSha256: string; readonly expiresAt: Date },
): Promise<void> {
  await tx.query(
    `insert into password_links (membership_id, token_sha256, expires_at) values ($1, $2, $3)
     on conflict (membership_id) do update set token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at`,
    [link.membershipId, Buffer.from(link.tokenSha256, 'hex'), link.expiresAt],
  );
}

/**
 * Returns the person of a link.
 *
 * Fails with `not_found` for a link that is unknown, used, replaced or expired, and for a person who can no longer sign in.
 */
const findPasswordLink: AccessOperation = ({ database, clock }) =>
  implementInternal(findPasswordLinkOperation, async ({ tokenSha256 }, { timeoutMs }) => {
    const [person] = await database.query<LinkedPerson>(
      `select ${PERSON} from password_links as link join memberships as member on member.id = link.membership_id
         join companies as company on company.id = member.company_id
       where link.token_sha256 = $1 and link.expires_at > $2 and ${MAY_SIGN_IN}`,
      [Buffer.from(tokenSha256, 'hex'), clock()],
      { timeoutMs: timeoutMs() },
    );
    if (person === undefined) throw notFound('password link');
    const { membershipId, displayName, companyName, email } = person;
    return { membershipId, displayName, companyName, email };
  });

/**
 * Sets the password of the person of a link, and uses the link up.
 *
 * Fails with `not_found` as {@link findPasswordLink} does, and with `invalid_argument` for a hash with other parameters than the
 * service's.
 *
 * Atomic: the password, the end of the link and the entry in the audit trail. Locks: the membership, then the link.
 */
const usePasswordToken: AccessOperation = ({ database, clock, logger }) =>
  implementInternal(usePasswordTokenOperation, async (input, context) => {
    const { passwordHash, remoteAddress, userAgent } = input;
    const tokenSha256 = Buffer.from(input.tokenSha256, 'hex');
    const { companyId, membershipId } = await inTransaction(database, context, async (tx) => {
      const [person] = await tx.query<Pick<LinkedPerson, 'companyId' | 'membershipId' | 'displayName'>>(
        `select member.id as "membershipId", member.company_id as "companyId", member.display_name as "displayName"
           from memberships as member
           where member.id = (select membership_id from password_links where token_sha256 = $1) and ${MAY_SIGN_IN}
           for no key update`,
        [tokenSha256],
      );
      const used = await tx.query(
        'delete from password_links where token_sha256 = $1 and expires_at > $2 returning membership_id',
        [tokenSha256, clock()],
      );
      if (person === undefined || used.length === 0) throw notFound('password link');
      const actor = { ...person, remoteAddress, userAgent };
      await setPassword(tx, { ...person, actor }, passwordHash);
      return person;
    });
    logger.info({ companyId, membershipId }, 'owner.password_changed');
    return {};
  });

/** The operations with which people set their passwords. The console hashes passwords and tokens, and mails the links. */
export const PASSWORD_OPERATIONS = [replacePassword, createPasswordLink, findPasswordLink, usePasswordToken];
