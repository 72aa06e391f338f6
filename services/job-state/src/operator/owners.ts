import {
  createOwnerOperation,
  listOwnersOperation,
  resetOwnerSecondFactorOperation,
  unlinkOwnerProviderOperation,
  updateOwnerOperation,
} from '@partner/proto-contracts/internal/operators/owners';
import type { Role } from '@partner/proto-contracts/api/roles';
import type { Owner } from '@partner/proto-contracts/resources/owner/owner';
import { type CallContext, implementInternal } from '@partner/kernel/amqp/implement';
import { newId } from '@partner/kernel/process/ids';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import { lockCompany } from '../access/lock-company.js';
import { noticeOfOwner, noticeToPerson } from '../access/colleagues/queue-notices.js';
import { resetFactor } from '../access/colleagues/second-factor.js';
import { unlinkProviders } from '../access/colleagues/sign-in.js';
import { callingActor } from '../audit/actor.js';
import { type OwnerChange, recordOwnerChange } from '../audit/record-audit.js';
import type { Transaction } from '../database/database.js';
import { getCompany } from './companies.js';
import { type OperatorDeps, type OperatorOperation, PAGE_SIZE, within } from './operator-deps.js';
import { checkFields, ownerFields } from './operator-fields.js';

const COLUMNS = `id as "membershipId", company_id as "companyId", display_name as "displayName", email, active,
  lower(role) as role, password_hash is not null as "hasPassword", exists (
    select from second_factors f where f.membership_id = memberships.id and f.enabled_at is not null
  ) as "hasSecondFactor", exists (
    select from provider_links p where p.membership_id = memberships.id
  ) as "isLinked"`;

/** Returns a page of the owners of a company by id, oldest first. Fails with `not_found` for an unknown company. */
const listOwners: OperatorOperation = (deps) =>
  implementInternal(listOwnersOperation, async (query, context) => {
    const { companyId, afterMembershipId, limit = PAGE_SIZE } = query;
    const database = within(deps, context);
    await getCompany(database, companyId);
    const rows = await database.query<Owner>(
      `select ${COLUMNS} from memberships
       where company_id = $1 and role in ('OWNER', 'VIEWER') and ($2::text is null or id > $2) order by id limit $3`,
      [companyId, afterMembershipId ?? null, limit + 1],
    );
    return { owners: rows.slice(0, limit), hasMore: rows.length > limit };
  });

/**
 * Adds an owner, who can sign in once a password is set.
 *
 * Fails with `not_found` for an unknown company, and with `invalid_argument` for invalid fields and an address in use.
 *
 * Atomic: the owner and the entry in the audit trail. Lock: the company.
 */
const createOwner: OperatorOperation = ({ database, logger }) =>
  implementInternal(createOwnerOperation, async (input, { caller, timeoutMs }) => {
    const { companyId, displayName, email, passwordHash, role = 'owner' } = input;
    checkFields(ownerFields, { displayName, email, passwordHash });
    const owner = await database.transaction(
      async (tx) => {
        await lockCompany(tx, companyId);
        const [made] = await tx.query<Owner>(
          `insert into memberships (id, company_id, display_name, email, password_hash, role)
           values ($1, $2, $3, $4, $5, $6) on conflict (lower(email)) do nothing returning ${COLUMNS}`,
          [newId('mem'), companyId, displayName, email, passwordHash ?? null, role.toUpperCase()],
        );
        if (made === undefined)
          throw invalidArgument([
            { path: 'email', message: 'already belongs to someone in this or another company' },
          ]);
        const change = { companyId, membershipId: made.membershipId, actor: callingActor(caller) };
        await recordOwnerChange(tx, change, { displayName, role }, 'owner.created');
        if (role === 'owner') await noticeOfOwner(tx, change, displayName);
        return made;
      },
      { companyId, timeoutMs: timeoutMs() },
    );
    logger.info({ companyId, membershipId: owner.membershipId }, 'owner.created');
    return owner;
  });

/**
 * Sets the password or the role of an owner or a viewer, or whether they can sign in.
 *
 * Disabling sign-in removes the password and the sign-in at the identity provider, so that a later message of the platform cannot re-enable it. Fails with `not_found`
 * for a membership that is not an owner or whose company is erased, and with `invalid_argument` for the password of an owner who cannot sign in.
 *
 * Atomic: the change, its entry in the audit trail and the notices. Lock: the membership.
 */
const updateOwner: OperatorOperation = ({ database, logger }) =>
  implementInternal(updateOwnerOperation, async (input, { caller, timeoutMs }) => {
    const { membershipId, passwordHash, active, role } = input;
    checkFields(ownerFields, { passwordHash });
    const owner = await database.transaction(
      async (tx) => {
        const [before] = await tx.query<{ active: boolean; role: Role }>(
          `select active, lower(role) as role from memberships where id = $1 and role in ('OWNER', 'VIEWER')
             and not exists (select from erasures where subject ->> 'companyId' = company_id) for no key update`,
          [membershipId],
        );
        if (before === undefined) throw notFound('owner');
        if (passwordHash !== undefined && !(active ?? before.active)) {
          throw new ServiceError(
            'invalid_argument',
            'password: sign-in is disabled for this owner; enable it first, then set the password',
          );
        }
        const [after] = await tx.query<Owner>(
          `update memberships set active = coalesce($3, active), role = coalesce($4, role),
             password_hash = case when $3 is not false then coalesce($2, password_hash) end
           where id = $1 returning ${COLUMNS}`,
          [membershipId, passwordHash ?? null, active ?? null, role?.toUpperCase() ?? null],
        );
        if (after === undefined) throw notFound('owner');
        // A link that was mailed before must not undo the operator's change.
        await tx.query('delete from password_links where membership_id = $1', [membershipId]);
        if (active === false) await unlinkProviders(tx, membershipId);
        const { companyId, displayName } = after;
        const change = { companyId, membershipId, actor: callingActor(caller) };
        const changed = [
          ...(passwordHash === undefined ? [] : ['password']),
          ...(before.active === after.active ? [] : ['active']),
          ...(before.role === after.role ? [] : ['role']),
        ];
        if (changed.length > 0) {
          const details = { changed, displayName, active: after.active, role: after.role };
          await recordOwnerChange(tx, change, details);
        }
        if (passwordHash !== undefined) await noticeToPerson(tx, change, 'password_changed');
        const wasOwner = before.active && before.role === 'owner';
        if (after.active && after.role === 'owner' && !wasOwner) await noticeOfOwner(tx, change, displayName);
        return { ...after, isLinked: after.isLinked && active !== false };
      },
      { timeoutMs: timeoutMs() },
    );
    logger.info({ companyId: owner.companyId, membershipId }, 'owner.updated');
    return owner;
  });

/**
 * Deletes an owner's second factor, so that the password is enough to sign in, and ends the owner's sessions. Without one nothing
 * changes. Fails with `not_found` for a membership that is not an owner.
 *
 * Atomic: the deletion, the end of the sessions and the entry in the audit trail. Locks: the membership, then the second factor.
 */
const resetSecondFactor: OperatorOperation = (deps) =>
  implementInternal(resetOwnerSecondFactorOperation, ({ membershipId }, context) =>
    changeOwner(deps, context, membershipId, 'second_factor.reset', async (tx, owner, change) => {
      await resetFactor(tx, change, owner.displayName);
      return { ...owner, hasSecondFactor: false };
    }),
  );

/**
 * Deletes an owner's sign-in at the identity provider, and ends the owner's sessions. The provider's next sign-in with the owner's
 * email address links it again. Without one nothing changes. Fails with `not_found` for a membership that is not an owner.
 *
 * Atomic: the deletion, the end of the sessions and the entry in the audit trail. Lock: the membership.
 */
const unlinkProvider: OperatorOperation = (deps) =>
  implementInternal(unlinkOwnerProviderOperation, ({ membershipId }, context) =>
    changeOwner(deps, context, membershipId, 'owner.provider_unlinked', async (tx, owner, change) => {
      if (await unlinkProviders(tx, membershipId)) {
        const { displayName } = owner;
        await recordOwnerChange(tx, change, { displayName, changed: ['provider'] });
      }
      return { ...owner, isLinked: false };
    }),
  );

/** Runs a change of an owner, whom it locks, and logs it as an event. */
async function changeOwner(
  { database, logger }: OperatorDeps,
  { caller, timeoutMs }: CallContext,
  membershipId: string,
  event: string,
  work: (tx: Transaction, owner: Owner, change: OwnerChange) => Promise<Owner>,
): Promise<Owner> {
  const owner = await database.transaction(
    async (tx) => {
      const [found] = await tx.query<Owner>(
        `select ${COLUMNS} from memberships where id = $1 and role in ('OWNER', 'VIEWER') for no key update`,
        [membershipId],
      );
      if (found === undefined) throw notFound('owner');
      const { companyId } = found;
      return work(tx, found, { companyId, membershipId, actor: callingActor(caller) });
    },
    { timeoutMs: timeoutMs() },
  );
  logger.info({ companyId: owner.companyId, membershipId }, event);
  return owner;
}

export const OWNER_OPERATIONS = [listOwners, createOwner, updateOwner, resetSecondFactor, unlinkProvider];
