import type { Queryable } from '../database/database.js';

/** A membership of a company. */
export interface MembershipOfCompany {
  readonly companyId: string;
  readonly membershipId: string;
}

/** An active owner or viewer of a company. */
interface ConsolePerson {
  readonly role: 'OWNER' | 'VIEWER';
  readonly email: string | null;
  /** Argon2id in PHC string form. */
  readonly passwordHash: string;
}

/** Returns an active owner or viewer of the company; undefined for any other person, and without a password. */
export async function getOwner(
  deps: { readonly database: Queryable },
  { companyId, membershipId }: MembershipOfCompany,
): Promise<ConsolePerson | undefined> {
  const [person] = await deps.database.query<ConsolePerson>(
    `select role, email, password_hash as "passwordHash" from memberships
     where id = $1 and company_id = $2 and active and role in ('OWNER', 'VIEWER') and password_hash is not null`,
    [membershipId, companyId],
  );
  return person;
}
