import type { Transaction } from '../database/database.js';

/** Replaces the accounting companies that receive the journal of a company from now on. */
export async function replaceAccountingLinks(
  tx: Transaction,
  companyId: string,
  accountingCompanyIds: readonly string[],
): Promise<void> {
  await tx.query(
    'delete from accounting_links where company_id = $1 and accounting_company_id <> all($2::text[])',
    [companyId, accountingCompanyIds],
  );
  await tx.query(
    `insert into accounting_links (company_id, accounting_company_id) select $1, unnest($2::text[])
     on conflict do nothing`,
    [companyId, accountingCompanyIds],
  );
}
