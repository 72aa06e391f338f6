import type { Role } from '@partner/proto-contracts/api/roles';
import {
  findLoginOperation,
  findPersonOperation,
  findProviderLoginOperation,
  findSignInMethodsOperation,
  linkProviderOperation,
  type Login,
} from '@partner/proto-contracts/internal/access/sign-in';
import { emailAddress } from '@partner/proto-contracts/values/email-address';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { z } from 'zod';
import { callingOwner } from '../../audit/actor.js';
import { recordOwnerChange } from '../../audit/record-audit.js';
import type { Transaction } from '../../database/database.js';
import { type AccessOperation, inTransaction } from '../access-deps.js';
import {
  canSignIn,
  endSessions,
  passwordVersion,
  SESSIONS_COLUMNS,
  type SessionsBasis,
} from './membership.js';
import { noticeToPerson } from './queue-notices.js';

const SUBJECT_LENGTH = 255;

type StoredLogin = Omit<Login, 'passwordHash' | 'passwordVersion'> & SessionsBasis;

const LOGIN_COLUMNS = `member.id as "membershipId", member.company_id as "companyId", company.name as "companyName",
  company.class as "companyClass", member.display_name as "displayName",
  case when member.role in ('OWNER', 'VIEWER') then lower(member.role) end as role, ${SESSIONS_COLUMNS}, exists (
    select from second_factors as factor where factor.membership_id = member.id and factor.enabled_at is not null
  ) as "hasSecondFactor"`;

const LOGIN_TABLES = 'memberships as member join companies as company on company.id = member.company_id';

function sentLogin({ passwordHash, sessionVersion, ...person }: StoredLogin): Login {
  return { ...person, passwordVersion: passwordVersion({ passwordHash, sessionVersion }) };
}

/**
 * Finds the login of an email address, ignoring the case of ASCII letters.
 *
 * None for an unknown address, an inactive member and one without a password.
 */
const findLogin: AccessOperation = ({ database }) =>
  implementInternal(findLoginOperation, async ({ email }, { timeoutMs }) => {
    // Stored addresses are ASCII. `lower` of some databases equates others with them: U+212A with k.
    if (!/^\p{ASCII}*$/u.test(email)) return {};
    const [login] = await database.query<StoredLogin>(
      `select ${LOGIN_COLUMNS} from ${LOGIN_TABLES}
       where lower(member.email) = lower($1) and member.active and member.password_hash is not null`,
      [email],
      { timeoutMs: timeoutMs() },
    );
    return login === undefined
      ? {}
      : { login: { ...sentLogin(login), passwordHash: login.passwordHash ?? undefined } };
  });

/** Finds an active owner or viewer of the company; no one who cannot sign in. */
const findPerson: AccessOperation = ({ database }) =>
  implementInternal(findPersonOperation, async (input, { timeoutMs }) => {
    const { companyId, membershipId, withPasswordHash = false } = input;
    const [person] = await database.query<
      SessionsBasis & { readonly role: Role; readonly email: string | null }
    >(
      `select lower(role) as role, email, ${SESSIONS_COLUMNS} from memberships as member
       where id = $1 and company_id = $2 and active and role in ('OWNER', 'VIEWER') and ${canSignIn('member')}`,
      [membershipId, companyId],
      { companyId, timeoutMs: timeoutMs() },
    );
    if (person === undefined) return {};
    const { role, email, passwordHash } = person;
    const secrets = { passwordHash: passwordHash ?? undefined, email: email ?? undefined };
    return {
      person: { role, passwordVersion: passwordVersion(person), ...(withPasswordHash && secrets) },
    };
  });

/**
 * People whom an email address alone may link: they can sign in already or have a valid invitation, and have no link to another
 * identity of the provider. So a person who was removed, or whom no one has let in, gets no access by an email address.
 */
const MAY_BE_LINKED = `lower(member.email) = lower($3) and member.role in ('OWNER', 'VIEWER')
  and (${canSignIn('member')} or exists (
    select from password_links as invitation where invitation.membership_id = member.id and invitation.expires_at > $4))
  and not exists (select from provider_links as other where other.membership_id = member.id and other.issuer = $1)`;

/**
 * Finds the login of an identity: of the linked person, else of the person with the verified email address who may be linked.
 *
 * A link decides alone: the person's or the provider's email address may have changed since. None for an inactive person.
 */
const findProviderLogin: AccessOperation = ({ database, clock }) =>
  implementInternal(findProviderLoginOperation, async (identity, { timeoutMs }) => {
    const { issuer, subject, verifiedEmail } = checkedIdentity(identity);
    const [found] = await database.query<StoredLogin & { readonly isLinked: boolean }>(
      `with link as (select membership_id from provider_links where issuer = $1 and subject = $2)
       select ${LOGIN_COLUMNS}, exists (select from link) as "isLinked" from ${LOGIN_TABLES}
       where member.active and member.id = coalesce(
         (select membership_id from link), (select member.id from memberships as member where ${MAY_BE_LINKED}))`,
      [issuer, subject, verifiedEmail ?? null, clock()],
      { timeoutMs: timeoutMs() },
    );
    if (found === undefined) return { isLinked: false };
    const { isLinked, ...login } = found;
    return { login: sentLogin(login), isLinked };
  });

/**
 * Links the caller to an identity, whose sign-in the console has completed.
 *
 * Fails with `provider_sign_in_refused` unless {@link findProviderLogin} still returns the person. A repeat changes nothing.
 *
 * Atomic: the link, its entry in the audit trail and the notice to the person. Lock: the membership.
 */
const linkProvider: AccessOperation = ({ database, clock, logger }) =>
  implementInternal(linkProviderOperation, async (identity, { caller, timeoutMs }) => {
    const actor = callingOwner(caller);
    const { companyId, membershipId } = actor;
    const { issuer, subject, verifiedEmail } = checkedIdentity(identity);
    await inTransaction(database, { caller, timeoutMs }, async (tx) => {
      const known = await tx.query(
        'select from provider_links where issuer = $1 and subject = $2 and membership_id = $3',
        [issuer, subject, membershipId],
      );
      if (known.length > 0) return;
      const [member] = await tx.query<{ displayName: string }>(
        `select member.display_name as "displayName" from memberships as member
           where member.id = $2 and member.company_id = $5 and member.active and ${MAY_BE_LINKED}
           for no key update`,
        [issuer, membershipId, verifiedEmail ?? null, clock(), companyId],
      );
      const linked =
        member &&
        (await tx.query(
          `insert into provider_links (issuer, subject, membership_id, linked_at) values ($1, $2, $3, $4)
             on conflict do nothing returning subject`,
          [issuer, subject, membershipId, clock()],
        ));
      if (member === undefined || linked?.length !== 1) {
        throw new ServiceError(
          'provider_sign_in_refused',
          'the account was changed in the meantime; sign in again',
        );
      }
      const { displayName } = member;
      const change = { companyId, membershipId, actor };
      await recordOwnerChange(tx, change, { changed: ['provider'], displayName, issuer });
      await noticeToPerson(tx, change, 'provider_linked', { issuer });
    });
    logger.info({ companyId, membershipId, issuer }, 'owner.provider_linked');
    return {};
  });

/** Leaves out an address that is not one of `emailAddress`: beyond ASCII, `lower` of the database can equate it with another person's. */
function checkedIdentity(identity: z.output<typeof linkProviderOperation.input>) {
  const { length } = identity.subject;
  if (length === 0 || length > SUBJECT_LENGTH) {
    throw invalidArgument([
      { path: 'identity.subject', message: `must have 1 to ${SUBJECT_LENGTH} characters` },
    ]);
  }
  const { success, data } = emailAddress.safeParse(identity.verifiedEmail);
  return { ...identity, verifiedEmail: success ? data : undefined };
}

const findSignInMethods: AccessOperation = ({ database }) =>
  implementInternal(findSignInMethodsOperation, async ({ issuer }, { caller, timeoutMs }) => {
    const { companyId, membershipId } = callingOwner(caller);
    const [found] = await database.query<{ hasPassword: boolean; linkedAt: Date | null }>(
      `select member.password_hash is not null as "hasPassword", link.linked_at as "linkedAt"
       from memberships as member left join provider_links as link on link.membership_id = member.id and link.issuer = $3
       where member.id = $1 and member.company_id = $2`,
      [membershipId, companyId, issuer ?? null],
      { companyId, timeoutMs: timeoutMs() },
    );
    return {
      hasPassword: found?.hasPassword ?? false,
      linkedAt: found?.linkedAt?.toISOString() ?? null,
    };
  });

/** Deletes the links of a membership that the transaction has locked, ends its sessions, and returns whether there were any links. */
export async function unlinkProviders(tx: Transaction, membershipId: string): Promise<boolean> {
  const deleted = await tx.query('delete from provider_links where membership_id = $1 returning issuer', [
    membershipId,
  ]);
  if (deleted.length === 0) return false;
  await endSessions(tx, membershipId);
  return true;
}

/** The operations with which the console signs people in and checks their sessions. The console verifies passwords and identities. */
export const SIGN_IN_OPERATIONS = [findLogin, findPerson, findProviderLogin, linkProvider, findSignInMethods];
