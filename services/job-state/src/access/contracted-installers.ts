import type { Queryable } from '../database/database.js';

interface ContractedInstaller {
  readonly id: string;
  readonly name: string;
}

/** Tells whether a job of one company is or was assigned to the other. */
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

/** Lists the companies that jobs of a company are or were assigned to, in ascending order of their ids. */
export async function listContractedInstallers(
  database: Queryable,
  query: {
    readonly companyId: string;
    /** Only companies after this one; from the first when not given. */
    readonly afterCompanyId: string | undefined;
    /** From 1. */
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
