import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import type { Pool } from 'pg';
import { type OwnerSession, signIn } from './owner-session.js';
import type { TestStack } from './test-stack.js';

/** A company without any earlier request. */
export interface AddedCompany {
  readonly id: string;
  readonly apiKeys: readonly string[];
}

/** Adds a company with keys of these kinds to the database. */
export async function addCompany(
  database: Pick<Pool, 'query'>,
  company: {
    readonly class: CompanyClassName;
    readonly keys: readonly KeyKindName[];
    /** The company's own installer limit; absent: the standard one. */
    readonly installerRequestsPerMinute?: number;
    /** The installer company that its installer-contractor keys are bound to. */
    readonly boundCompanyId?: string;
  },
): Promise<AddedCompany> {
  const id = newId('cmp');
  await database.query(
    'insert into companies (id, name, class, installer_requests_per_minute) values ($1, $2, $3, $4)',
    [id, `Company ${id}`, company.class, company.installerRequestsPerMinute ?? null],
  );
  const { boundCompanyId } = company;
  const apiKeys: string[] = [];
  for (const kind of company.keys) {
    apiKeys.push(
      await addKey(
        { database },
        { companyId: id, kind, ...(boundCompanyId === undefined ? {} : { boundCompanyId }) },
      ),
    );
  }
  return { id, apiKeys };
}

/** Adds a key in any state to a company and returns its text. */
export async function addKey(
  { database }: { readonly database: Pick<Pool, 'query'> },
  key: {
    readonly companyId: string;
    readonly kind: KeyKindName;
    readonly boundCompanyId?: string;
    readonly environment?: 'sandbox' | 'production';
    readonly revoked?: boolean;
    readonly expired?: boolean;
  },
): Promise<string> {
  const made = createApiKey(key.environment ?? 'sandbox');
  await database.query(
    `insert into api_keys (id, company_id, kind, bound_company_id, secret_sha256, last_four, revoked_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, case when $7 then now() end, case when $8 then now() end)`,
    [
      made.keyId,
      key.companyId,
      key.kind,
      key.kind === 'installer-contractor' ? key.boundCompanyId : null,
      made.secretSha256,
      made.lastFour,
      key.revoked ?? false,
      key.expired ?? false,
    ],
  );
  return made.text;
}

/** Adds technicians to a company and returns their ids; the last one is inactive. */
export async function addTechnicians(
  database: Pick<Pool, 'query'>,
  companyId: string,
  count: number,
): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => newId('mem'));
  for (const [place, id] of ids.entries()) {
    const name = `Technician ${String(place + 1).padStart(2, '0')}`;
    await database.query(
      `insert into memberships (id, company_id, role, display_name, active) values ($1, $2, 'TECHNICIAN', $3, $4)`,
      [id, companyId, name, place < count - 1],
    );
  }
  return ids;
}

/** Adds an owner to a company and signs in. */
export async function addOwner(
  stack: Pick<TestStack, 'database' | 'baseUrl' | 'company'>,
  companyId: string,
): Promise<OwnerSession> {
  const known = stack.company('SALES');
  const email = `owner-${companyId}@owners.example`;
  await stack.database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash)
     select $1, $2, 'OWNER', 'An owner', $3, password_hash from memberships where email = $4`,
    [newId('mem'), companyId, email, known.owner.email],
  );
  return signIn(stack.baseUrl, { email, password: known.owner.password });
}
