import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import type { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { addChanges, addInstallerCompany, addJobs, type BenchCompany } from './fill-feed.js';

type Client = Parameters<Parameters<typeof withPostgres>[1]>[0];

/** An installer company with technicians and a feed. */
export interface ApiInstaller extends BenchCompany {
  readonly technicianIds: readonly string[];
}

/** A selling company whose jobs one installer company performs. */
export interface ApiSeller {
  readonly id: string;
  readonly generalKey: string;
  readonly contractorKey: string;
  readonly jobIds: readonly string[];
}

/** A job of an installer company, at the version that the company has read. */
export interface ApiJob {
  readonly id: string;
  readonly installer: ApiInstaller;
  readonly version: number;
  readonly status: string;
}

/** The companies and jobs of the API's benchmark. */
export interface ApiWorld {
  readonly installers: readonly ApiInstaller[];
  readonly sellers: readonly ApiSeller[];
  /** The jobs that no writer uses. A writer removes the first and appends it when done. */
  readonly jobs: ApiJob[];
}

/** Companies with concurrent requests of partners. */
export const COMPANIES_AT_ONCE = 8;
/** The limit of inbound requests cannot be raised. With this number of companies none reaches it. */
const SELLERS_PER_INSTALLER = 25;
const JOBS_PER_SELLER = 50;
const FEED_ENTRIES = 1_000;
const TECHNICIANS = 20;

/** Fills the database of a new stack. */
export async function fillApi(client: Client): Promise<ApiWorld> {
  const installers: ApiInstaller[] = [];
  const sellers: ApiSeller[] = [];
  const jobs: ApiJob[] = [];
  for (let number = 1; number <= COMPANIES_AT_ONCE; number += 1) {
    const company = await addInstallerCompany(client, `Installer ${number}`);
    const changes = SELLERS_PER_INSTALLER * JOBS_PER_SELLER * 10;
    await addJobs(client, company, changes);
    await addChanges(client, company, { from: 1, to: FEED_ENTRIES, changes });
    const installer = { ...company, technicianIds: await addTechnicians(client, company.id) };
    installers.push(installer);
    const { rows } = await client.query<{ id: string; version: number; status: string }>(
      'select id, version, status from jobs where installer_company_id = $1 order by id',
      [company.id],
    );
    jobs.push(...rows.map((row) => ({ ...row, installer })));
    for (let from = 0; from < rows.length; from += JOBS_PER_SELLER) {
      const jobIds = rows.slice(from, from + JOBS_PER_SELLER).map(({ id }) => id);
      sellers.push(await addSeller(client, { installerCompanyId: company.id, jobIds }));
    }
  }
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  return { installers, sellers: interleave(sellers), jobs: interleave(jobs) };
}

async function addTechnicians(client: Client, companyId: string): Promise<readonly string[]> {
  const ids = Array.from({ length: TECHNICIANS }, () => newId('mem'));
  await client.query(
    `insert into memberships (id, company_id, role, display_name)
     select id, $1, 'TECHNICIAN', 'Technician ' || number from unnest($2::text[]) with ordinality as made (id, number)`,
    [companyId, ids],
  );
  return ids;
}

/** Adds a selling company with keys, whose jobs an installer company performs. */
export async function addSeller(
  client: Client,
  made: { readonly installerCompanyId: string; readonly jobIds: readonly string[] },
): Promise<ApiSeller> {
  const id = newId('cmp');
  const general = createApiKey('sandbox');
  const contractor = createApiKey('sandbox');
  await client.query(`insert into companies (id, name, class) values ($1, 'Seller', 'SALES')`, [id]);
  await client.query('insert into contracted_installers values ($1, $2)', [id, made.installerCompanyId]);
  for (const { key, kind, bound } of [
    { key: general, kind: 'general', bound: null },
    { key: contractor, kind: 'installer-contractor', bound: made.installerCompanyId },
  ]) {
    await client.query(
      `insert into api_keys (id, company_id, kind, bound_company_id, secret_sha256, last_four)
       values ($1, $2, $3, $4, $5, $6)`,
      [key.keyId, id, kind, bound, key.secretSha256, key.lastFour],
    );
  }
  await client.query('update jobs set selling_company_id = $1 where id = any($2::text[])', [id, made.jobIds]);
  return { id, generalKey: general.text, contractorKey: contractor.text, jobIds: made.jobIds };
}

/** Spreads the items of each installer company: neighbours belong to different companies. */
function interleave<T>(items: readonly T[]): T[] {
  const each = items.length / COMPANIES_AT_ONCE;
  return items.flatMap((_, index) => {
    const [item] = items.slice((index % COMPANIES_AT_ONCE) * each + Math.floor(index / COMPANIES_AT_ONCE));
    return item === undefined ? [] : [item];
  });
}
