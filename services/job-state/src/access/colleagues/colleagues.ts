import { inviteColleagueOperation } from '@partner/proto-contracts/internal/access/invite-colleague';
import {
  type Colleague,
  COLLEAGUE_LIMITS,
  type ColleagueList,
} from '@partner/proto-contracts/resources/colleague/colleague';
import {
  listColleaguesOperation,
  removeColleagueOperation,
  resetColleagueSecondFactorOperation,
  setColleagueRoleOperation,
} from '@partner/proto-contracts/resources/colleague/operations';
import { type CallContext, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { callingOwner } from '../../audit/actor.js';
import { type OwnerChange, recordOwnerChange } from '../../audit/record-audit.js';
import type { Queryable, Transaction } from '../../database/database.js';
import { type AccessDeps, type AccessOperation, inTransaction } from '../access-deps.js';
import { lockCompany } from '../lock-company.js';
import { canSignIn, type MembershipOfCompany } from './membership.js';
import { putPasswordLink } from './passwords.js';
import { noticeOfOwner } from './queue-notices.js';
import { resetFactor } from './second-factor.js';
import { unlinkProviders } from './sign-in.js';

const HOUR_MS = 3_600_000;
const LIST_LENGTH = 200;

const COLUMNS = `id as "membershipId", display_name as "displayName", email, lower(role) as role,
  password_hash is not null as "hasPassword", exists (
    select from provider_links as link where link.membership_id = memberships.id
  ) as "isLinked", exists (
    select from second_factors as factor where factor.membership_id = memberships.id and factor.enabled_at is not null
  ) as "hasSecondFactor", case when not ${canSignIn('memberships')} then (
    select entry.display_name from audit_entries as entry
    where entry.company_id = memberships.company_id and entry.action = 'owner.created' and entry.subject_id = memberships.id
    order by entry.id desc limit 1
  ) end as "invitedBy", case when not ${canSignIn('memberships')} then (
    select to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from password_links as link
    where link.membership_id = memberships.id
  ) end as "invitationEndsAt"`;

/** Lists the colleagues with access to the console of a company, oldest first, at most 200. */
const listColleagues: AccessOperation = ({ database }) =>
  implement(listColleaguesOperation, async ({ companyId, timeoutMs }) => {
    const colleagues = await database.query<Colleague>(...colleaguesOf(companyId), {
      companyId,
      timeoutMs: timeoutMs(),
    });
    return { json: JSON.stringify({ colleagues } satisfies ColleagueList) };
  });

function colleaguesOf(companyId: string) {
  return [
    `select ${COLUMNS} from memberships
     where company_id = $1 and role in ('OWNER', 'VIEWER') and active order by id limit $2`,
    [companyId, LIST_LENGTH],
  ] as const;
}

/**
 * Adds a person to a company with an invitation, which is a link as for a forgotten password. A person of the company who cannot
 * sign in yet gets the given name and role, and a new invitation.
 *
 * Fails with `permission_denied` unless the acting person is an owner, with `invalid_argument` for an address in use, and with
 * `colleague_limit_reached`.
 *
 * Atomic: the person, the link and the entry in the audit trail. Locks: the company, then the membership.
 */
const inviteColleague: AccessOperation = (deps) =>
  implementInternal(inviteColleagueOperation, async (input, context) => {
    const { displayName, email, role, tokenSha256 } = input;
    return changeColleagues(deps, context, async (tx, { companyId, actor }) => {
      const colleagues = await tx.query<Colleague>(...colleaguesOf(companyId));
      const isKnown = colleagues.some((colleague) => colleague.email?.toLowerCase() === email.toLowerCase());
      if (!isKnown && colleagues.length >= COLLEAGUE_LIMITS.colleagues) {
        throw new ServiceError(
          'colleague_limit_reached',
          `a company can have at most ${COLLEAGUE_LIMITS.colleagues} people in the console; remove one first`,
        );
      }
      // A person who was removed, or never set a password, is invited again under the same id.
      const [added] = await tx.query<Pick<Colleague, 'membershipId'>>(
        `insert into memberships (id, company_id, role, display_name, email) values ($1, $2, $3, $4, $5)
         on conflict (lower(email)) do update
           set role = excluded.role, display_name = excluded.display_name, active = true
           where memberships.company_id = $2 and memberships.role in ('OWNER', 'VIEWER')
             and not ${canSignIn('memberships')}
         returning id as "membershipId"`,
        [newId('mem'), companyId, role.toUpperCase(), displayName, email],
      );
      if (added === undefined)
        throw invalidArgument([
          { path: 'email', message: 'already belongs to someone in this or another company' },
        ]);
      const { membershipId } = added;
      const expiresAt = new Date(deps.clock().getTime() + COLLEAGUE_LIMITS.invitationHours * HOUR_MS);
      await putPasswordLink(tx, { membershipId, tokenSha256, expiresAt });
      const change = { companyId, membershipId, actor };
      await recordOwnerChange(tx, change, { displayName, role }, 'owner.created');
      if (role === 'owner') await noticeOfOwner(tx, change, displayName);
      return getColleague(tx, change);
    });
  });

/**
 * Changes the role of a person.
 *
 * Fails with `permission_denied` unless the acting person is an owner, with `not_found`, and with `last_owner` if no owner who
 * can sign in would be left.
 *
 * Atomic: the role and the entry in the audit trail. Locks: the company, then the membership.
 */
const setColleagueRole: AccessOperation = (deps) =>
  implement(setColleagueRoleOperation, async ({ body: { role }, params, ...context }) => {
    const changed = await changeColleagues(deps, context, async (tx, by) => {
      const change = { ...by, membershipId: params.id };
      const before = await getColleague(tx, change);
      if (before.role === role) return before;
      if (role === 'viewer') await requireOtherOwner(tx, change);
      await tx.query('update memberships set role = $2 where id = $1', [params.id, role.toUpperCase()]);
      const { displayName } = before;
      await recordOwnerChange(tx, change, { changed: ['role'], displayName, role });
      if (role === 'owner') await noticeOfOwner(tx, change, displayName);
      return { ...before, role };
    });
    return { json: JSON.stringify(changed) };
  });

/**
 * Ends the access of a person, and deletes the password, the link and the sign-in at the identity provider.
 *
 * Fails as {@link setColleagueRole} does.
 *
 * Atomic: the end and the entry in the audit trail. Locks: the company, then the membership.
 */
const removeColleague: AccessOperation = (deps) =>
  implement(removeColleagueOperation, async ({ params: { id: membershipId }, ...context }) => {
    await changeColleagues(deps, context, async (tx, by) => {
      const change = { ...by, membershipId };
      const before = await getColleague(tx, change);
      if (before.role === 'owner') await requireOtherOwner(tx, change);
      await tx.query('update memberships set active = false, password_hash = null where id = $1', [
        membershipId,
      ]);
      await tx.query('delete from password_links where membership_id = $1', [membershipId]);
      await unlinkProviders(tx, membershipId);
      const { displayName } = before;
      await recordOwnerChange(tx, change, { changed: ['active'], displayName, active: false });
      return before;
    });
    return { json: '' };
  });

/**
 * Deletes the second factor of another person, and ends the person's sessions.
 *
 * Fails with `permission_denied` unless the acting person is an owner and another person, and with `not_found`.
 *
 * Atomic: the deletion, the end of the sessions and the entry in the audit trail. Locks: the company, the membership, then the
 * second factor.
 */
const resetColleagueSecondFactor: AccessOperation = (deps) =>
  implement(resetColleagueSecondFactorOperation, async ({ params: { id: membershipId }, ...context }) => {
    await changeColleagues(deps, context, async (tx, by) => {
      if (membershipId === by.actor?.membershipId) {
        throw new ServiceError(
          'permission_denied',
          'this is your own second factor: disable it with a code on the Account page',
        );
      }
      const before = await getColleague(tx, { ...by, membershipId });
      await resetFactor(tx, { ...by, membershipId }, before.displayName);
      return before;
    });
    return { json: '' };
  });

/** Runs a change of the colleagues of a company for an owner; changes of one company run one at a time. */
async function changeColleagues(
  { database, logger }: AccessDeps,
  { caller, timeoutMs }: CallContext,
  change: (tx: Transaction, by: Omit<OwnerChange, 'membershipId'>) => Promise<Colleague>,
): Promise<Colleague> {
  const actor = callingOwner(caller);
  const { companyId } = actor;
  const changed = await inTransaction(database, { caller, timeoutMs }, async (tx) => {
    await lockCompany(tx, companyId);
    const acting = await tx.query(
      `select from memberships where id = $1 and company_id = $2 and role = 'OWNER' and active`,
      [actor.membershipId, companyId],
    );
    if (acting.length === 0) throw new ServiceError('permission_denied', 'only an owner can change people');
    return change(tx, { companyId, actor });
  });
  const { membershipId } = changed;
  logger.info({ companyId, membershipId, actorId: actor.membershipId }, 'colleague.changed');
  return changed;
}

async function getColleague(
  tx: Queryable,
  { companyId, membershipId }: MembershipOfCompany,
): Promise<Colleague> {
  const [found] = await tx.query<Colleague>(
    `select ${COLUMNS} from memberships
     where id = $1 and company_id = $2 and role in ('OWNER', 'VIEWER') and active for no key update`,
    [membershipId, companyId],
  );
  if (found === undefined) throw notFound('colleague');
  return found;
}

/** Fails with `last_owner` unless another owner of the company can sign in. */
async function requireOtherOwner(
  tx: Transaction,
  { companyId, membershipId }: MembershipOfCompany,
): Promise<void> {
  const others = await tx.query(
    `select from memberships as member
     where company_id = $1 and id <> $2 and role = 'OWNER' and active and ${canSignIn('member')} limit 1`,
    [companyId, membershipId],
  );
  if (others.length > 0) return;
  throw new ServiceError(
    'last_owner',
    'the company has no other owner who can sign in; make someone else an owner first',
  );
}

/** The operations with which an owner manages the colleagues who use the console. The console mails the invitations. */
export const COLLEAGUE_OPERATIONS = [
  listColleagues,
  inviteColleague,
  setColleagueRole,
  removeColleague,
  resetColleagueSecondFactor,
];
