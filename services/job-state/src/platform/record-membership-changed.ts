import {
  MembershipChangedSchema,
  MembershipRoleSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { emailAddress } from '@partner/proto-contracts/values/email-address';
import { z } from 'zod';
import type { Transaction } from '../database/database.js';
import { HAS_ERASURE } from '../access/lock-company.js';
import { noticeOfOwner } from '../access/colleagues/queue-notices.js';
import { flag, id, instant, NAME_LENGTH, nameOf, text, version } from './message-type/message-fields.js';
import { type PlatformEffect, platformMessageType } from './message-type/platform-message-type.js';

const EMAIL_LENGTH = 254;

const membershipChanged = z
  .object({
    membershipId: id('mem'),
    version,
    companyId: id('cmp'),
    role: nameOf(MembershipRoleSchema, ['OWNER', 'TECHNICIAN']),
    displayName: text(NAME_LENGTH),
    email: text(EMAIL_LENGTH)
      .refine((address) => emailAddress.safeParse(address).success, 'is not an email address')
      .optional(),
    active: flag,
    occurredAt: instant,
  })
  .refine(({ role, email }) => role !== 'OWNER' || email !== undefined, {
    path: ['email'],
    message: 'is missing',
  })
  .transform(({ role, email, ...membership }) => ({
    ...membership,
    role,
    /** Null for a technician. */
    email: role === 'OWNER' ? (email ?? null) : null,
  }));

type MembershipChangedCommand = z.infer<typeof membershipChanged>;

export const membershipChangedMessage = platformMessageType({
  schema: MembershipChangedSchema,
  form: membershipChanged,
  resourceId: ({ membershipId }) => membershipId,
  isAlone: true,
  record: recordMembershipChanged,
});

/**
 * Records the current state of a person in a company.
 *
 * The newest message by version wins, and any message overrides data from another source. A new owner has no password and
 * cannot sign in until one is set. An erased company gets no people. An owner whom the company has made a viewer stays a viewer. A former owner loses address, password and the sign-in
 * at the identity provider. A person cannot move to another company. An
 * address belongs to one membership: see {@link freeAddress}.
 *
 * Locks: if it names an address, the global lock of addresses, so that two memberships that exchange addresses cannot deadlock;
 * then the membership, then the one that has had the address.
 */
export async function recordMembershipChanged(
  tx: Transaction,
  command: MembershipChangedCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { membershipId, companyId, version, role, email } = command;
  if (email !== null) await tx.query(`select pg_advisory_xact_lock(hashtextextended('addresses', 1))`);
  const [known] = await tx.query<{ company_id: string; version: number; isOwner: boolean }>(
    'select company_id, version, active and role = \'OWNER\' as "isOwner" from memberships where id = $1 for no key update',
    [membershipId],
  );
  if (known !== undefined && known.company_id !== companyId) {
    return { kind: 'refused', reason: `membership ${membershipId} belongs to another company` };
  }
  if (known !== undefined && version <= known.version) {
    return { kind: 'ignored', why: 'this version or a newer one is already recorded' };
  }
  const [company] = await tx.query<{ isErased: boolean }>(
    `select ${HAS_ERASURE} as "isErased" from companies where id = $1`,
    [companyId],
  );
  if (company === undefined) return { kind: 'early', missing: companyId };
  if (company.isErased) return { kind: 'ignored', why: 'the company has been erased' };
  const address = email === null ? FREE : await freeAddress(tx, { ...command, email });
  if (address.kind !== 'free') return address;
  const [recorded] = await tx.query<{ isOwner: boolean }>(
    `with unlinked as (delete from provider_links where membership_id = $1 and $5::text is null)
     insert into memberships as known (id, company_id, role, display_name, email, password_hash, active, version, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (id) do update set
       role = case when known.role = 'VIEWER' and excluded.role = 'OWNER' then 'VIEWER' else excluded.role end,
       display_name = excluded.display_name, email = excluded.email,
       password_hash = case when excluded.email is null then null
         else coalesce(known.password_hash, excluded.password_hash) end,
       active = excluded.active, version = excluded.version
     returning active and role = 'OWNER' as "isOwner"`,
    [
      membershipId,
      companyId,
      role === 'OWNER' && address.isViewer ? 'VIEWER' : role,
      command.displayName,
      email,
      address.passwordHash,
      command.active,
      version,
      now,
    ],
  );
  if (recorded?.isOwner === true && known?.isOwner !== true && !address.isOwner) {
    await noticeOfOwner(tx, { companyId, membershipId, actor: PLATFORM }, command.displayName);
  }
  return { kind: 'applied', appeared: [membershipId, ...address.left] };
}

const PLATFORM = { membershipId: undefined, displayName: 'the operator of the service' };

/** An address that a membership can have, or no address. */
interface FreeAddress {
  readonly kind: 'free';
  /** The password of the operator's owner, who becomes this membership. */
  readonly passwordHash: string | null;
  /** Whether that owner is a viewer. */
  readonly isViewer: boolean;
  /** Whether that owner is one, and active: the same person is no new owner. */
  readonly isOwner: boolean;
  /** The memberships that gave up the address. */
  readonly left: readonly string[];
}

const FREE: FreeAddress = { kind: 'free', passwordHash: null, isViewer: false, isOwner: false, left: [] };

/**
 * Frees an address for a membership, if possible:
 *
 * - A membership of the platform keeps the address until the platform reports another one for it: the message waits for that,
 *   since it may be late. If a newer message for that membership waits for another address, the membership gives this one up at
 *   once, so that any exchange of addresses finishes. It has no address until its own message takes effect.
 * - An owner of the same company whom an operator created under an id of this service is the same person. The platform's
 *   membership replaces the owner, with the password if the owner is active, with the sign-in at the identity provider, with the second factor, and in the
 *   audit trail.
 *   Sessions under the former id end.
 * - An owner of another company whom an operator created keeps the address permanently.
 */
async function freeAddress(
  tx: Transaction,
  { membershipId, companyId, email }: MembershipChangedCommand & { readonly email: string },
): Promise<FreeAddress | Extract<PlatformEffect, { kind: 'early' | 'refused' }>> {
  const [holder] = await tx.query<{
    id: string;
    company_id: string;
    version: number;
    leaves: boolean;
  }>(
    `select member.id, member.company_id, member.version, exists (
       select from inbox where resource_id = member.id and resource_version > member.version and starts_with(prerequisite_id, 'mem_')
     ) as leaves
     from memberships as member where lower(member.email) = lower($1) and member.id <> $2`,
    [email, membershipId],
  );
  if (holder === undefined) return FREE;
  if (holder.version > 0) {
    if (!holder.leaves) return { kind: 'early', missing: holder.id, appeared: [membershipId] };
    await tx.query('update memberships set email = null where id = $1', [holder.id]);
    return { ...FREE, left: [holder.id] };
  }
  if (holder.company_id !== companyId) {
    return {
      kind: 'refused',
      reason: `the email address of membership ${membershipId} is that of an owner of another company`,
    };
  }
  // The link is moved first: it would be deleted with the membership. The membership's own link stays, as its own password does.
  await tx.query(
    `update provider_links as link set membership_id = $2
     where membership_id = $1 and exists (select from memberships where id = $1 and active) and not exists (
       select from provider_links as own where own.membership_id = $2 and own.issuer = link.issuer)`,
    [holder.id, membershipId],
  );
  const [adopted] = await tx.query<Pick<FreeAddress, 'passwordHash' | 'isViewer' | 'isOwner'>>(
    `delete from memberships where id = $1
     returning case when active then password_hash end as "passwordHash", role = 'VIEWER' as "isViewer",
       active and role = 'OWNER' as "isOwner"`,
    [holder.id],
  );
  // The membership's own second factor stays, as its own password does.
  await tx.query(
    `update second_factors set membership_id = $2
     where membership_id = $1 and not exists (select from second_factors where membership_id = $2)`,
    [holder.id, membershipId],
  );
  await tx.query('delete from second_factors where membership_id = $1', [holder.id]);
  await tx.query('update audit_entries set membership_id = $3 where company_id = $1 and membership_id = $2', [
    companyId,
    holder.id,
    membershipId,
  ]);
  return { ...FREE, ...adopted };
}
