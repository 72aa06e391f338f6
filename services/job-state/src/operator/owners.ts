import type { Owner, OwnerPage } from '@partner/proto-contracts/resources/owner/owner';
import type { Role } from '@partner/proto-contracts/api/roles';
import { invalidArgument } from '@partner/kernel/process/validation';
import { newId } from '@partner/kernel/process/ids';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { lockCompany } from '../access/insert-key.js';
import { unlinkProviders } from '../access/provider-links.js';
import { resetFactor } from '../access/second-factor.js';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import { noticeToOtherOwners, noticeToPerson } from '../access/queue-notices.js';
import type { Database, Queryable, Transaction, TransactionLimits } from '../database/database.js';
import { getCompany } from './operator-company.js';
import { checkOwnerFields } from './operator-fields.js';

interface Deps {
  readonly database: Pick<Database, 'transaction'>;
  readonly logger: Pick<Logger, 'info'>;
}

const COLUMNS = `id as "membershipId", company_id as "companyId", display_name as "displayName", email, active,
  lower(role) as role, password_hash is not null as "hasPassword", exists (
    select from second_factors f where f.membership_id = memberships.id and f.enabled_at is not null
  ) as "hasSecondFactor", exists (
    select from provider_links p where p.membership_id = memberships.id
  ) as "isLinked"`;

/** A page of the owners of a company by id, oldest first. Fails with `not_found` for an unknown company. */
export async function listOwners(
  database: Queryable,
  query: {
    readonly companyId: string;
    readonly afterMembershipId: string | undefined;
    readonly limit: number;
  },
): Promise<OwnerPage> {
  const { companyId, afterMembershipId, limit } = query;
  await getCompany(database, companyId);
  const rows = await database.query<Owner>(
    `select ${COLUMNS} from memberships
     where company_id = $1 and role in ('OWNER', 'VIEWER') and ($2::text is null or id > $2) order by id limit $3`,
    [companyId, afterMembershipId ?? null, limit + 1],
  );
  return { owners: rows.slice(0, limit), hasMore: rows.length > limit };
}

/**
 * Adds an owner, who can sign in once a password is set.
 *
 * Fails with `not_found` for an unknown company, and with `invalid_argument` for invalid fields and an address in use.
 *
 * Atomic: the owner and the entry in the audit trail. Lock: the company.
 */
export async function createOwner(
  deps: Deps,
  request: {
    readonly companyId: string;
    readonly displayName: string;
    readonly email: string;
    readonly passwordHash: string | undefined;
    readonly role?: Role | undefined;
    readonly actor: Actor;
  },
  limits: TransactionLimits = {},
): Promise<Owner> {
  const { companyId, displayName, email, passwordHash, role = 'owner' } = request;
  checkOwnerFields({ displayName, email, passwordHash });
  const owner = await deps.database.transaction(
    async (tx) => {
      await lockCompany(tx, companyId);
      const [made] = await tx.query<Owner>(
        `insert into memberships (id, company_id, display_name, email, password_hash, role)
         values ($1, $2, $3, $4, $5, $6) on conflict (lower(email)) do nothing returning ${COLUMNS}`,
        [newId('mem'), companyId, displayName, email, passwordHash ?? null, role.toUpperCase()],
      );
      if (made === undefined) throw invalidArgument([{ path: 'email', message: 'is in use' }]);
      await recordAudit(tx, {
        companyId,
        actor: request.actor,
        action: 'owner.created',
        subject: { type: 'owner', id: made.membershipId },
        details: { displayName, role },
      });
      if (role === 'owner') await announceOwner(tx, made, request.actor);
      return made;
    },
    { ...limits, companyId },
  );
  deps.logger.info({ companyId, membershipId: owner.membershipId }, 'owner.created');
  return owner;
}

/**
 * Sets the password or the role of an owner or a viewer, or whether they can sign in.
 *
 * Disabling sign-in removes the password and the sign-in at the identity provider, so that a later message of the platform cannot re-enable it. Fails with `not_found`
 * for a membership that is not an owner or whose company is erased, and with `invalid_argument` for the password of an owner who cannot sign in.
 *
 * Atomic: the change, its entry in the audit trail and the notices. Lock: the membership.
 */
export async function updateOwner(
  deps: Deps,
  request: {
    readonly membershipId: string;
    readonly passwordHash: string | undefined;
    readonly active: boolean | undefined;
    readonly role?: Role | undefined;
    readonly actor: Actor;
  },
  limits: TransactionLimits = {},
): Promise<Owner> {
  const { membershipId, passwordHash, active, role } = request;
  checkOwnerFields({ passwordHash });
  const owner = await deps.database.transaction(async (tx) => {
    const [before] = await tx.query<{ active: boolean; role: Role }>(
      `select active, lower(role) as role from memberships where id = $1 and role in ('OWNER', 'VIEWER')
         and not exists (select from erasures where subject ->> 'companyId' = company_id) for no key update`,
      [membershipId],
    );
    if (before === undefined) throw notFound('owner');
    if (passwordHash !== undefined && !(active ?? before.active)) {
      throw new ServiceError(
        'invalid_argument',
        'password: the owner may not sign in; let them sign in first, then set it',
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
    const changed = [
      ...(passwordHash === undefined ? [] : ['password']),
      ...(before.active === after.active ? [] : ['active']),
      ...(before.role === after.role ? [] : ['role']),
    ];
    if (changed.length > 0) {
      await recordAudit(tx, {
        companyId: after.companyId,
        actor: request.actor,
        action: 'owner.updated',
        subject: { type: 'owner', id: membershipId },
        details: { changed, displayName: after.displayName, active: after.active, role: after.role },
      });
    }
    if (passwordHash !== undefined) {
      const { companyId } = after;
      const notice = { companyId, subjectId: membershipId, actor: request.actor };
      await noticeToPerson(tx, { ...notice, kind: 'password_changed' });
    }
    const wasOwner = before.active && before.role === 'owner';
    if (after.active && after.role === 'owner' && !wasOwner) await announceOwner(tx, after, request.actor);
    return { ...after, isLinked: after.isLinked && active !== false };
  }, limits);
  deps.logger.info({ companyId: owner.companyId, membershipId }, 'owner.updated');
  return owner;
}

/**
 * Deletes an owner's second factor, so that the password is enough to sign in, and ends the owner's sessions. Without one nothing
 * changes.
 *
 * Fails with `not_found` for a membership that is not an owner.
 *
 * Atomic: the deletion, the end of the sessions and the entry in the audit trail. Locks: the membership, then the second factor.
 */
export async function resetSecondFactor(
  deps: Deps,
  { membershipId, actor }: { readonly membershipId: string; readonly actor: Actor },
  limits: TransactionLimits = {},
): Promise<Owner> {
  const owner = await deps.database.transaction(async (tx) => {
    const found = await lockOwner(tx, membershipId);
    await resetFactor(tx, { ...found, actor });
    return { ...found, hasSecondFactor: false };
  }, limits);
  deps.logger.info({ companyId: owner.companyId, membershipId }, 'second_factor.reset');
  return owner;
}

/**
 * Deletes an owner's sign-in at the identity provider, and ends the owner's sessions. The provider's next sign-in with the owner's
 * email address links it again. Without one nothing changes.
 *
 * Fails with `not_found` for a membership that is not an owner.
 *
 * Atomic: the deletion, the end of the sessions and the entry in the audit trail. Lock: the membership.
 */
export async function unlinkProvider(
  deps: Deps,
  { membershipId, actor }: { readonly membershipId: string; readonly actor: Actor },
  limits: TransactionLimits = {},
): Promise<Owner> {
  const owner = await deps.database.transaction(async (tx) => {
    const found = await lockOwner(tx, membershipId);
    if (await unlinkProviders(tx, membershipId)) {
      const { companyId, displayName } = found;
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'owner.updated',
        subject: { type: 'owner', id: membershipId },
        details: { displayName, changed: ['provider'] },
      });
    }
    return { ...found, isLinked: false };
  }, limits);
  deps.logger.info({ companyId: owner.companyId, membershipId }, 'owner.provider_unlinked');
  return owner;
}

/** Queues the email to the other owners about a new owner. */
async function announceOwner(
  tx: Transaction,
  { companyId, membershipId: subjectId, displayName }: Owner,
  actor: Actor,
): Promise<void> {
  await noticeToOtherOwners(tx, {
    ...{ companyId, subjectId, actor, kind: 'owner_added' },
    details: { displayName },
  });
}

async function lockOwner(tx: Transaction, membershipId: string): Promise<Owner> {
  const [found] = await tx.query<Owner>(
    `select ${COLUMNS} from memberships where id = $1 and role in ('OWNER', 'VIEWER') for no key update`,
    [membershipId],
  );
  if (found === undefined) throw notFound('owner');
  return found;
}
