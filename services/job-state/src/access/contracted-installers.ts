import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';

const ADD_PAIRS: PreparedStatement = {
  name: 'add-contracted-installers',
  text: `insert into contracted_installers (selling_company_id, installer_company_id)
     select distinct pair.selling_company_id, company.id
     from unnest($1::text[], $2::text[]) as pair (selling_company_id, installer_company_id)
     join companies company on company.id = pair.installer_company_id and company.class = 'INSTALLER'
     order by 1, 2 on conflict do nothing`,
};

/** Pairs two companies, as a job's first assignment does. No effect unless the second one is an installer company. */
export async function contractInstaller(
  tx: Pick<Transaction, 'queryTogether'>,
  sellingCompanyId: string,
  installerCompanyId: string,
): Promise<void> {
  await tx.queryTogether(ADD_PAIRS, [sellingCompanyId, installerCompanyId]);
}

/**
 * Pairs two companies right before the commit, together with all others of the transaction.
 *
 * New pairs are locked in ascending order, so that two transactions cannot deadlock.
 */
export function contractInstallerLast(
  tx: Pick<Transaction, 'queryLast'>,
  sellingCompanyId: string,
  installerCompanyId: string,
): void {
  void tx.queryLast(ADD_PAIRS, [sellingCompanyId, installerCompanyId]);
}
