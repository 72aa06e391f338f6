import type { Queryable } from '../database/database.js';

/** A membership that is asked for. */
export interface MembershipOfCompany {
  readonly companyId: string;
  readonly membershipId: string;
}

/**
 * The password hash of an active owner of the company, Argon2id in PHC string form; undefined for anybody else, and for an
 * owner who has no password.
 */
export async function getOwner(
  deps: { readonly database: Queryable },
  { companyId, membershipId }: MembershipOfCompany,
): Promise<{ readonly passwordHash: string } | undefined> {
  const [owner] = await deps.database.query<{ passwordHash: string }>(
    `select password_hash as "passwordHash" from memberships
     where id = $1 and company_id = $2 and active and role = 'OWNER' and password_hash is not null`,
    [membershipId, companyId],
  );
  return owner;
}
