import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { emailAddress } from '@partner/proto-contracts/values/email-address';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable, Transaction, TransactionLimits } from '../database/database.js';
import { canSignIn } from './can-sign-in.js';
import { LOGIN_COLUMNS, LOGIN_TABLES, type StoredLogin } from './get-login.js';
import type { MembershipOfCompany } from './get-owner.js';
import { endSessions } from './password-version.js';
import { noticeToPerson } from './queue-notices.js';

const SUBJECT_LENGTH = 255;

/** An account at the identity provider, which the console has verified. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined: the provider does not state that it has verified one. */
  readonly verifiedEmail?: string | undefined;
}

/** The login of an identity. */
export interface ProviderLogin {
  readonly login: StoredLogin;
  /** False: the email address alone matches. */
  readonly isLinked: boolean;
}

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
 * A link decides alone: the person's or the provider's email address may have changed since. Undefined for an inactive person.
 */
export async function getProviderLogin(
  database: Queryable,
  identity: ProviderIdentity,
  now: Date,
): Promise<ProviderLogin | undefined> {
  const { issuer, subject, verifiedEmail } = checkedIdentity(identity);
  const [found] = await database.query<StoredLogin & { readonly isLinked: boolean }>(
    `with link as (select membership_id from provider_links where issuer = $1 and subject = $2)
     select ${LOGIN_COLUMNS}, exists (select from link) as "isLinked" from ${LOGIN_TABLES}
     where member.active and member.id = coalesce(
       (select membership_id from link), (select member.id from memberships as member where ${MAY_BE_LINKED}))`,
    [issuer, subject, verifiedEmail ?? null, now],
  );
  if (found === undefined) return undefined;
  const { isLinked, ...login } = found;
  return { login, isLinked };
}

/**
 * Links the acting person to an identity, whose sign-in the console has completed.
 *
 * Fails with `provider_sign_in_refused` unless {@link getProviderLogin} still returns the person. A repeat changes nothing.
 *
 * Atomic: the link, its entry in the audit trail and the notice to the person. Lock: the membership.
 */
export async function linkProvider(
  deps: {
    readonly database: Pick<Database, 'transaction'>;
    readonly clock: () => Date;
    readonly logger: Pick<Logger, 'info'>;
  },
  request: MembershipOfCompany & { readonly identity: ProviderIdentity; readonly actor: Actor | undefined },
  limits: TransactionLimits = {},
): Promise<void> {
  const { companyId, membershipId, actor } = request;
  const { issuer, subject, verifiedEmail } = checkedIdentity(request.identity);
  await deps.database.transaction(
    async (tx) => {
      if (await isLinked(tx, { issuer, subject, membershipId })) return;
      const [member] = await tx.query<{ displayName: string }>(
        `select member.display_name as "displayName" from memberships as member
         where member.id = $2 and member.company_id = $5 and member.active and ${MAY_BE_LINKED}
         for no key update`,
        [issuer, membershipId, verifiedEmail ?? null, deps.clock(), companyId],
      );
      const linked =
        member &&
        (await tx.query(
          `insert into provider_links (issuer, subject, membership_id, linked_at) values ($1, $2, $3, $4)
           on conflict do nothing returning subject`,
          [issuer, subject, membershipId, deps.clock()],
        ));
      if (member === undefined || linked?.length !== 1) {
        throw new ServiceError(
          'provider_sign_in_refused',
          'the account was changed meanwhile; sign in again',
        );
      }
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'owner.updated',
        subject: { type: 'owner', id: membershipId },
        details: { changed: ['provider'], displayName: member.displayName, issuer },
      });
      const notice = { companyId, subjectId: membershipId, actor, details: { issuer } };
      await noticeToPerson(tx, { ...notice, kind: 'provider_linked' });
    },
    { ...limits, companyId },
  );
  deps.logger.info({ companyId, membershipId, issuer }, 'owner.provider_linked');
}

/** Returns whether a person of the company has a password, and since when the person is linked to an identity of the provider. */
export async function getSignInMethods(
  database: Queryable,
  { companyId, membershipId, issuer }: MembershipOfCompany & { readonly issuer: string | undefined },
): Promise<{ readonly hasPassword: boolean; readonly linkedAt: Date | null }> {
  const [found] = await database.query<{ hasPassword: boolean; linkedAt: Date | null }>(
    `select member.password_hash is not null as "hasPassword", link.linked_at as "linkedAt"
     from memberships as member left join provider_links as link on link.membership_id = member.id and link.issuer = $3
     where member.id = $1 and member.company_id = $2`,
    [membershipId, companyId, issuer ?? null],
  );
  return found ?? { hasPassword: false, linkedAt: null };
}

/** Deletes the links of a membership that the transaction has locked, ends its sessions, and returns whether there were any links. */
export async function unlinkProviders(tx: Transaction, membershipId: string): Promise<boolean> {
  const deleted = await tx.query('delete from provider_links where membership_id = $1 returning issuer', [
    membershipId,
  ]);
  if (deleted.length === 0) return false;
  await endSessions(tx, membershipId);
  return true;
}

async function isLinked(
  tx: Transaction,
  { issuer, subject, membershipId }: { issuer: string; subject: string; membershipId: string },
): Promise<boolean> {
  const found = await tx.query(
    'select from provider_links where issuer = $1 and subject = $2 and membership_id = $3',
    [issuer, subject, membershipId],
  );
  return found.length > 0;
}

/** Leaves out an address that is not one of `emailAddress`: beyond ASCII, `lower` of the database can equate it with another person's. */
function checkedIdentity(identity: ProviderIdentity): ProviderIdentity {
  const { length } = identity.subject;
  if (length === 0 || length > SUBJECT_LENGTH) {
    throw invalidArgument([
      { path: 'identity.subject', message: `must have 1 to ${SUBJECT_LENGTH} characters` },
    ]);
  }
  const { success, data } = emailAddress.safeParse(identity.verifiedEmail);
  return { ...identity, verifiedEmail: success ? data : undefined };
}
