import type { KeyKindName } from '@partner/proto-contracts/public-api/scopes';
import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import type { Pool } from 'pg';

/** A company that nothing was counted for yet. */
export interface LimitedCompany {
  readonly id: string;
  readonly apiKeys: readonly string[];
}

/** Adds a company with keys of these kinds to the database. */
export async function addCompany(
  database: Pick<Pool, 'query'>,
  company: {
    readonly class: 'SALES' | 'INSTALLER';
    readonly keys: readonly KeyKindName[];
    /** The company's own installer limit; absent: the standard one. */
    readonly installerRequestsPerMinute?: number;
    /** The installer company that its installer-contractor keys are bound to. */
    readonly boundCompanyId?: string;
  },
): Promise<LimitedCompany> {
  const id = newId('cmp');
  await database.query(
    'insert into companies (id, name, class, installer_requests_per_minute) values ($1, $2, $3, $4)',
    [id, 'A company with limits', company.class, company.installerRequestsPerMinute ?? null],
  );
  const apiKeys: string[] = [];
  for (const kind of company.keys) {
    const key = createApiKey('sandbox');
    const bound = kind === 'installer-contractor' ? company.boundCompanyId : null;
    await database.query(
      `insert into api_keys (id, company_id, kind, bound_company_id, secret_sha256, last_four)
       values ($1, $2, $3, $4, $5, $6)`,
      [key.keyId, id, kind, bound, key.secretSha256, key.lastFour],
    );
    apiKeys.push(key.text);
  }
  return { id, apiKeys };
}
