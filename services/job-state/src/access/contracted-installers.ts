import type { Queryable } from '../database/database.js';

interface ContractedInstaller {
  readonly id: string;
  readonly name: string;
}

/** Pairs two companies, as a job's first assignment does. No effect unless the second one is an installer company. */
export async function contractInstaller(
  tx: Queryable,
  sellingCompanyId: string,
  installerCompanyId: string,
): Promise<void> {
  await tx.query(
    `insert into contracted_installers (selling_company_id, installer_company_id)
     select $1, id from companies where id = $2 and class = 'INSTALLER' on conflict do nothing`,
    [sellingCompanyId, installerCompanyId],
  );
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
