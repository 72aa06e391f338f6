import type { Queryable } from '../database/database.js';

/** A membership of a company. */
export interface MembershipOfCompany {
  readonly companyId: string;
  readonly membershipId: string;
}

/**
 * Returns the email address and the password hash of an active owner of the company, Argon2id in PHC string form.
 *
 * Undefined for any other person, and for an owner without a password.
 */
export async function getOwner(
  deps: { readonly database: Queryable },
  { companyId, membershipId }: MembershipOfCompany,
): Promise<{ readonly email: string | null; readonly passwordHash: string } | undefined> {
  const [owner] = await deps.database.query<{ email: string | null; passwordHash: string }>(
    `select email, password_hash as "passwordHash" from memberships
     where id = $1 and company_id = $2 and active and role = 'OWNER' and password_hash is not null`,
    [membershipId, companyId],
  );
  return owner;
}
