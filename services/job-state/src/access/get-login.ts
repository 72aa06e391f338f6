import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { Queryable } from '../database/database.js';

/** A person's membership of a company with their password hash. */
export interface StoredLogin {
  readonly membershipId: string;
  readonly companyId: string;
  readonly companyName: string;
  readonly companyClass: CompanyClassName;
  readonly displayName: string;
  readonly isOwner: boolean;
  /** True: may use the console, but change nothing. */
  readonly isViewer: boolean;
  /** Argon2id in PHC string form. */
  readonly passwordHash: string;
  /** True: a login needs a code too. */
  readonly hasSecondFactor: boolean;
}

/**
 * Finds the login of an email address, ignoring case.
 *
 * Undefined for an unknown address, an inactive member and one without a password.
 */
export async function getLogin(
  deps: { readonly database: Queryable },
  email: string,
): Promise<StoredLogin | undefined> {
  const [row] = await deps.database.query<{
    id: string;
    company_id: string;
    company_name: string;
    class: CompanyClassName;
    display_name: string;
    role: string;
    password_hash: string;
    has_second_factor: boolean;
  }>(
    `select member.id, member.company_id, company.name as company_name, company.class, member.display_name, member.role,
       member.password_hash, exists (
         select from second_factors as factor where factor.membership_id = member.id and factor.enabled_at is not null
       ) as has_second_factor
     from memberships as member join companies as company on company.id = member.company_id
     where lower(member.email) = lower($1) and member.active and member.password_hash is not null`,
    [email],
  );
  if (row === undefined) return undefined;
  return {
    membershipId: row.id,
    companyId: row.company_id,
    companyName: row.company_name,
    companyClass: row.class,
    displayName: row.display_name,
    isOwner: row.role === 'OWNER',
    isViewer: row.role === 'VIEWER',
    passwordHash: row.password_hash,
    hasSecondFactor: row.has_second_factor,
  };
}
