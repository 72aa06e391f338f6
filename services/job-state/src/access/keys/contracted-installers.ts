import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Queryable } from '../../database/database.js';

const addPairs = (name: string, shared: 'together' | 'last'): PreparedStatement => ({
  name,
  shared,
  text: `insert into contracted_installers (selling_company_id, installer_company_id)
     select distinct pair.selling_company_id, company.id
     from unnest($1::text[], $2::text[]) as pair (selling_company_id, installer_company_id)
     join companies company on company.id = pair.installer_company_id and company.class = 'INSTALLER'
     order by 1, 2 on conflict do nothing`,
});

const ADD_PAIRS = addPairs('add-contracted-installers', 'together');
const ADD_PAIRS_LAST = addPairs('add-contracted-installers-last', 'last');

/** Pairs two companies, as a job's first assignment does. No effect unless the second one is an installer company. */
export async function contractInstaller(
  tx: Queryable,
  sellingCompanyId: string,
  installerCompanyId: string,
): Promise<void> {
  await tx.query(ADD_PAIRS, [sellingCompanyId, installerCompanyId]);
}

/**
 * Pairs two companies right before the commit, together with all others of the transaction.
 *
 * New pairs are locked in ascending order, so that two transactions cannot deadlock.
 */
export function contractInstallerLast(
  tx: Queryable,
  sellingCompanyId: string,
  installerCompanyId: string,
): void {
  void tx.query(ADD_PAIRS_LAST, [sellingCompanyId, installerCompanyId]);
}
