import { type Colleague, COLLEAGUE_LIMITS } from '@partner/proto-contracts/resources/colleague/colleague';
import type { Role } from '@partner/proto-contracts/api/roles';
import { newId } from '@partner/kernel/process/ids';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable, Transaction, TransactionLimits } from '../database/database.js';
import { noticeToOtherOwners } from './queue-notices.js';
import { canSignIn } from './can-sign-in.js';
import type { MembershipOfCompany } from './get-owner.js';
import { lockCompany } from './insert-key.js';
import { putPasswordLink } from './password-links.js';
import { unlinkProviders } from './provider-links.js';
import { resetFactor } from './second-factor.js';

const HOUR_MS = 3_600_000;
const LIST_LENGTH = 200;

const COLUMNS = `id as "membershipId", display_name as "displayName", email, lower(role) as role,
  password_hash is not null as "hasPassword", exists (
    select from provider_links as link where link.membership_id = memberships.id
  ) as "isLinked", exists (
    select from second_factors as factor where factor.membership_id = memberships.id and factor.enabled_at is not null
  ) as "hasSecondFactor"`;

interface Deps {
  readonly database: Pick<Database, 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'info'>;
}

/** A change that an owner makes in the own company. */
interface OwnersChange {
  readonly companyId: string;
  readonly actor: Actor | undefined;
}

/** Returns the people with access to the console of a company, oldest first, at most 200. */
export async function listColleagues(database: Queryable, companyId: string): Promise<readonly Colleague[]> {
  return database.query<Colleague>(
    `select ${COLUMNS} from memberships
     where company_id = $1 and role in ('OWNER', 'VIEWER') and active order by id limit $2`,
    [companyId, LIST_LENGTH],
  );
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
export async function addColleague(
  deps: Deps,
  request: OwnersChange & {
    readonly displayName: string;
    readonly email: string;
    readonly role: Role;
    readonly tokenSha256: Buffer;
  },
  limits: TransactionLimits = {},
): Promise<Colleague> {
  const { companyId, actor, displayName, email, role, tokenSha256 } = request;
  return changePeople(deps, request, limits, async (tx) => {
    const people = await listColleagues(tx, companyId);
    const isKnown = people.some((person) => person.email?.toLowerCase() === email.toLowerCase());
    if (!isKnown && people.length >= COLLEAGUE_LIMITS.people) {
      throw new ServiceError(
        'colleague_limit_reached',
        `a company can have at most ${COLLEAGUE_LIMITS.people} people in the console; remove one first`,
      );
    }
    // A person who was removed, or never set a password, is invited again under the same id.
    const [added] = await tx.query<Colleague>(
      `insert into memberships (id, company_id, role, display_name, email) values ($1, $2, $3, $4, $5)
       on conflict (lower(email)) do update
         set role = excluded.role, display_name = excluded.display_name, active = true
         where memberships.company_id = $2 and memberships.role in ('OWNER', 'VIEWER')
           and not ${canSignIn('memberships')}
       returning ${COLUMNS}`,
      [newId('mem'), companyId, role.toUpperCase(), displayName, email],
    );
    if (added === undefined) throw invalidArgument([{ path: 'email', message: 'is in use' }]);
    const { membershipId } = added;
    const expiresAt = new Date(deps.clock().getTime() + COLLEAGUE_LIMITS.invitationHours * HOUR_MS);
    await putPasswordLink(tx, { membershipId, tokenSha256, expiresAt });
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'owner.created',
      subject: { type: 'owner', id: membershipId },
      details: { displayName, role },
    });
    await announceOwner(tx, request, added);
    return added;
  });
}

/**
 * Changes the role of a person.
 *
 * Fails with `permission_denied` unless the acting person is an owner, with `not_found`, and with `last_owner` if no owner who
 * can sign in would be left.
 *
 * Atomic: the role and the entry in the audit trail. Locks: the company, then the membership.
 */
export async function setColleagueRole(
  deps: Deps,
  request: OwnersChange & MembershipOfCompany & { readonly role: Role },
  limits: TransactionLimits = {},
): Promise<Colleague> {
  const { companyId, actor, membershipId, role } = request;
  return changePeople(deps, request, limits, async (tx) => {
    const before = await getColleague(tx, request);
    if (before.role === role) return before;
    if (role === 'viewer') await requireOtherOwner(tx, request);
    await tx.query('update memberships set role = $2 where id = $1', [membershipId, role.toUpperCase()]);
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'owner.updated',
      subject: { type: 'owner', id: membershipId },
      details: { changed: ['role'], displayName: before.displayName, role },
    });
    const after = { ...before, role };
    await announceOwner(tx, request, after);
    return after;
  });
}

/**
 * Ends the access of a person, and deletes the password, the link and the sign-in at the identity provider.
 *
 * Fails as {@link setColleagueRole} does.
 *
 * Atomic: the end and the entry in the audit trail. Locks: the company, then the membership.
 */
export async function removeColleague(
  deps: Deps,
  request: OwnersChange & MembershipOfCompany,
  limits: TransactionLimits = {},
): Promise<void> {
  const { companyId, actor, membershipId } = request;
  await changePeople(deps, request, limits, async (tx) => {
    const before = await getColleague(tx, request);
    if (before.role === 'owner') await requireOtherOwner(tx, request);
    await tx.query('update memberships set active = false, password_hash = null where id = $1', [
      membershipId,
    ]);
    await tx.query('delete from password_links where membership_id = $1', [membershipId]);
    await unlinkProviders(tx, membershipId);
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'owner.updated',
      subject: { type: 'owner', id: membershipId },
      details: { changed: ['active'], displayName: before.displayName, active: false },
    });
    return before;
  });
}

/**
 * Deletes the second factor of another person, and ends the person's sessions. Returns the person as before.
 *
 * Fails with `permission_denied` unless the acting person is an owner and another person, and with `not_found`.
 *
 * Atomic: the deletion, the end of the sessions and the entry in the audit trail. Locks: the company, the membership, then the
 * second factor.
 */
export async function resetColleagueSecondFactor(
  deps: Deps,
  request: OwnersChange & MembershipOfCompany,
  limits: TransactionLimits = {},
): Promise<Colleague> {
  return changePeople(deps, request, limits, async (tx) => {
    if (request.membershipId === request.actor?.membershipId) {
      throw new ServiceError(
        'permission_denied',
        'this is your own second factor: disable it with a code, on the page Account',
      );
    }
    const before = await getColleague(tx, request);
    await resetFactor(tx, { ...request, displayName: before.displayName });
    return before;
  });
}

/** Runs a change of the people of a company for an owner; changes of one company run one at a time. */
async function changePeople(
  deps: Deps,
  { companyId, actor }: OwnersChange,
  limits: TransactionLimits,
  change: (tx: Transaction) => Promise<Colleague>,
): Promise<Colleague> {
  const changed = await deps.database.transaction(
    async (tx) => {
      await lockCompany(tx, companyId);
      const acting = await tx.query(
        `select from memberships where id = $1 and company_id = $2 and role = 'OWNER' and active`,
        [actor?.membershipId ?? null, companyId],
      );
      if (acting.length === 0) throw new ServiceError('permission_denied', 'only an owner can change people');
      return change(tx);
    },
    { ...limits, companyId },
  );
  const { membershipId } = changed;
  deps.logger.info({ companyId, membershipId, actorId: actor?.membershipId }, 'colleague.changed');
  return changed;
}

/** Queues the email to the other owners about a person who has become an owner. */
async function announceOwner(
  tx: Transaction,
  { companyId, actor }: OwnersChange,
  { membershipId: subjectId, displayName, role }: Colleague,
): Promise<void> {
  if (role !== 'owner') return;
  await noticeToOtherOwners(tx, {
    ...{ companyId, subjectId, actor, kind: 'owner_added' },
    details: { displayName },
  });
}

async function getColleague(
  tx: Transaction,
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
