import type { Transaction } from '../database/database.js';
import type { MembershipChangedCommand } from './company-messages.js';
import type { PlatformEffect } from './platform-effect.js';

/**
 * Records what somebody is in a company. The newest message by version counts, and any counts more than what was made in
 * another way. A new owner has no password and can not sign in until one is set; who is an owner no more loses address and
 * password. Nobody moves to another company, and an address belongs to one membership. Locks: the membership, the address.
 */
export async function recordMembershipChanged(
  tx: Transaction,
  command: MembershipChangedCommand,
  now: Date,
): Promise<PlatformEffect> {
  const { membershipId, companyId, version, role, email } = command;
  const [known] = await tx.query<{ company_id: string; version: number }>(
    'select company_id, version from memberships where id = $1 for no key update',
    [membershipId],
  );
  if (known !== undefined && known.company_id !== companyId) {
    return { kind: 'refused', reason: `membership ${membershipId} belongs to another company` };
  }
  if (known !== undefined && version <= known.version) {
    return { kind: 'ignored', why: 'this version or a newer one was heard of before' };
  }
  const company = await tx.query('select from companies where id = $1', [companyId]);
  if (company.length === 0) return { kind: 'early', missing: companyId };
  // Whoever wants the same address waits here, so that the second one is refused and not failed.
  if (email !== null) {
    await tx.query('select pg_advisory_xact_lock(hashtextextended(lower($1), 1))', [email]);
    const taken = await tx.query('select from memberships where lower(email) = lower($1) and id <> $2', [
      email,
      membershipId,
    ]);
    if (taken.length > 0) {
      return { kind: 'refused', reason: `the email address of membership ${membershipId} is in use` };
    }
  }
  await tx.query(
    `insert into memberships as known (id, company_id, role, display_name, email, active, version, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do update set role = excluded.role, display_name = excluded.display_name, email = excluded.email,
       password_hash = case when excluded.email is null then null else known.password_hash end, active = excluded.active,
       version = excluded.version`,
    [membershipId, companyId, role, command.displayName, email, command.active, version, now],
  );
  return { kind: 'applied' };
}
