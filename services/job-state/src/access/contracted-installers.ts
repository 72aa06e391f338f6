import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable, Transaction } from '../database/database.js';

interface ContractedInstaller {
  readonly id: string;
  readonly name: string;
}

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

/** Returns whether keys of one company can be bound to the other. */
export async function isContracted(
  database: Queryable,
  sellingCompanyId: string,
  installerCompanyId: string,
): Promise<boolean> {
  const [found] = await database.query(
    'select 1 from contracted_installers where selling_company_id = $1 and installer_company_id = $2',
    [sellingCompanyId, installerCompanyId],
  );
  return found !== undefined;
}

/** Lists the companies that keys of a company can be bound to, by ascending id. */
export async function listContractedInstallers(
  database: Queryable,
  query: {
    readonly companyId: string;
    /** Only companies after this one; absent: from the first. */
    readonly afterCompanyId: string | undefined;
    /** At least 1. */
    readonly limit: number;
  },
): Promise<{
  readonly installers: readonly ContractedInstaller[];
  readonly nextAfterId: string | undefined;
}> {
  const { companyId, afterCompanyId, limit } = query;
  const rows = await database.query<ContractedInstaller>(
    `select company.id, company.name
     from contracted_installers as contracted join companies as company on company.id = contracted.installer_company_id
     where contracted.selling_company_id = $1 and ($2::text is null or contracted.installer_company_id > $2)
     order by contracted.installer_company_id
     limit $3`,
    [companyId, afterCompanyId ?? null, limit + 1],
  );
  const installers = rows.slice(0, limit);
  return { installers, nextAfterId: rows.length > limit ? installers.at(-1)?.id : undefined };
}
