import { createApiKey } from '@partner/kernel/security/api-key';
import { newId } from '@partner/kernel/process/ids';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';

interface Database {
  query(sql: string, values: unknown[]): Promise<unknown>;
}

export async function addCompany(
  database: Database,
  company: {
    readonly class: CompanyClassName;
    readonly keys?: readonly KeyKindName[];
    readonly installerRequestsPerMinute?: number;
    readonly boundCompanyId?: string;
  },
): Promise<{ readonly id: string; readonly apiKeys: readonly string[] }> {
  const { keys = [], boundCompanyId } = company;
  const id = newId('cmp');
  await database.query(
    'insert into companies (id, name, class, installer_requests_per_minute) values ($1, $2, $3, $4)',
    [id, `Company ${id}`, company.class, company.installerRequestsPerMinute ?? null],
  );
  const apiKeys: string[] = [];
  for (const kind of keys) apiKeys.push(await addKey(database, { companyId: id, kind, boundCompanyId }));
  return { id, apiKeys };
}

export async function addKey(
  database: Database,
  key: {
    readonly companyId: string;
    readonly kind: KeyKindName;
    readonly boundCompanyId?: string | undefined;
    readonly environment?: 'sandbox' | 'production';
    readonly revoked?: boolean;
    readonly expired?: boolean;
  },
): Promise<string> {
  const { companyId, kind, boundCompanyId, environment = 'sandbox', revoked = false, expired = false } = key;
  const { keyId, secretSha256, lastFour, text } = createApiKey(environment);
  const boundTo = kind === 'installer-contractor' ? boundCompanyId : null;
  await database.query(
    `insert into api_keys (id, company_id, kind, bound_company_id, secret_sha256, last_four, revoked_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, case when $7 then now() end,
       case when $8 then now() when $3 = 'automation' then now() + interval '90 days' end)`,
    [keyId, companyId, kind, boundTo, secretSha256, lastFour, revoked, expired],
  );
  return text;
}
