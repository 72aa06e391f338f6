import type { Queryable } from '../database/database.js';
import { canSignIn } from './can-sign-in.js';

/** A membership of a company. */
export interface MembershipOfCompany {
  readonly companyId: string;
  readonly membershipId: string;
}

/** An active owner or viewer of a company. */
interface ConsolePerson {
  readonly role: 'OWNER' | 'VIEWER';
  readonly email: string | null;
  /** Argon2id in PHC string form; null: the person signs in at the identity provider only. */
  readonly passwordHash: string | null;
}

/** Returns an active owner or viewer of the company; undefined for any other person, and for one who cannot sign in. */
export async function getOwner(
  deps: { readonly database: Queryable },
  { companyId, membershipId }: MembershipOfCompany,
): Promise<ConsolePerson | undefined> {
  const [person] = await deps.database.query<ConsolePerson>(
    `select role, email, password_hash as "passwordHash" from memberships as member
     where id = $1 and company_id = $2 and active and role in ('OWNER', 'VIEWER') and ${canSignIn('member')}`,
    [membershipId, companyId],
  );
  return person;
}
