import type { Role } from '@partner/proto-contracts/api/roles';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { Queryable } from '../database/database.js';
import type { SessionsBasis } from './password-version.js';

/** A person's membership of a company with their password hash. */
export interface StoredLogin extends SessionsBasis {
  readonly membershipId: string;
  readonly companyId: string;
  readonly companyName: string;
  readonly companyClass: CompanyClassName;
  readonly displayName: string;
  /** Null: may not use the console. */
  readonly role: Role | null;
  /** True: a login needs a code too. */
  readonly hasSecondFactor: boolean;
}

/** The columns of a {@link StoredLogin} from {@link LOGIN_TABLES}. */
export const LOGIN_COLUMNS = `member.id as "membershipId", member.company_id as "companyId", company.name as "companyName",
  company.class as "companyClass", member.display_name as "displayName",
  case when member.role in ('OWNER', 'VIEWER') then lower(member.role) end as role, member.password_hash as "passwordHash",
  member.session_version as "sessionVersion", exists (
    select from second_factors as factor where factor.membership_id = member.id and factor.enabled_at is not null
  ) as "hasSecondFactor"`;

/** The tables of a login. */
export const LOGIN_TABLES =
  'memberships as member join companies as company on company.id = member.company_id';

/**
 * Finds the login of an email address, ignoring the case of ASCII letters.
 *
 * Undefined for an unknown address, an inactive member and one without a password.
 */
export async function getLogin(
  deps: { readonly database: Queryable },
  email: string,
): Promise<StoredLogin | undefined> {
  // Stored addresses are ASCII. `lower` of some databases equates others with them: U+212A with k.
  if (!/^\p{ASCII}*$/u.test(email)) return undefined;
  const [login] = await deps.database.query<StoredLogin>(
    `select ${LOGIN_COLUMNS} from ${LOGIN_TABLES}
     where lower(member.email) = lower($1) and member.active and member.password_hash is not null`,
    [email],
  );
  return login;
}
