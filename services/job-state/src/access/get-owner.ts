import type { Role } from '@partner/proto-contracts/api/roles';
import type { Queryable } from '../database/database.js';
import { canSignIn } from './can-sign-in.js';
import type { SessionsBasis } from './password-version.js';

/** A membership of a company. */
export interface MembershipOfCompany {
  readonly companyId: string;
  readonly membershipId: string;
}

/** An active owner or viewer of a company. */
interface ConsolePerson extends SessionsBasis {
  readonly role: Role;
  readonly email: string | null;
}

/** Returns an active owner or viewer of the company; undefined for any other person, and for one who cannot sign in. */
export async function getOwner(
  deps: { readonly database: Queryable },
  { companyId, membershipId }: MembershipOfCompany,
): Promise<ConsolePerson | undefined> {
  const [person] = await deps.database.query<ConsolePerson>(
    `select lower(role) as role, email, password_hash as "passwordHash", session_version as "sessionVersion" from memberships as member
     where id = $1 and company_id = $2 and active and role in ('OWNER', 'VIEWER') and ${canSignIn('member')}`,
    [membershipId, companyId],
  );
  return person;
}
