import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { addCompany } from '@partner/local-stack/stack/add-company';
import type { Client } from './fill.js';

export type ApiInstaller = Awaited<ReturnType<typeof addInstaller>>;

export type ApiSeller = Awaited<ReturnType<typeof addSeller>>;

export interface ApiJob {
  readonly id: string;
  readonly installer: ApiInstaller;
  readonly version: number;
  readonly status: string;
}

export type ApiWorld = Awaited<ReturnType<typeof fillApi>>;

export const COMPANIES_AT_ONCE = 8;
/** The limit of inbound requests cannot be raised. With this number of companies none reaches it. */
const SELLERS_PER_INSTALLER = 25;
const JOBS_PER_SELLER = 50;
const JOBS_PER_INSTALLER = SELLERS_PER_INSTALLER * JOBS_PER_SELLER;
const FEED_ENTRIES = 1_000;
const TECHNICIANS = 20;
const LIMITLESS = 1_000_000_000;

export async function fillApi(client: Client) {
  const installers: ApiInstaller[] = [];
  const sellers: ApiSeller[] = [];
  const jobs: ApiJob[] = [];
  for (let number = 1; number <= COMPANIES_AT_ONCE; number += 1) {
    const installer = await addInstaller(client);
    await addFeed(client, installer);
    installers.push(installer);
    const { rows } = await client.query<{ id: string; version: number; status: string }>(
      'select id, version, status from jobs where installer_company_id = $1 order by id',
      [installer.id],
    );
    jobs.push(...rows.map((row) => ({ ...row, installer })));
    for (let from = 0; from < rows.length; from += JOBS_PER_SELLER) {
      const jobIds = rows.slice(from, from + JOBS_PER_SELLER).map(({ id }) => id);
      sellers.push(await addSeller(client, installer, jobIds));
    }
  }
  // Completes the server's deferred work: hint bits, statistics and dirty pages.
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
  // The jobs that no writer uses. A writer removes the first and appends it when done.
  return { installers, sellers: interleave(sellers), jobs: interleave(jobs) };
}

/** Creates an installer company with jobs: copies of a job of the sandbox under other ids, each with ten changes. */
async function addInstaller(client: Client) {
  const { id, apiKeys } = await addCompany(client, {
    class: 'INSTALLER',
    keys: ['installer-company'],
    installerRequestsPerMinute: LIMITLESS,
  });
  const [apiKey = ''] = apiKeys;
  const technicianIds = Array.from({ length: TECHNICIANS }, () => newId('mem'));
  await client.query(
    `insert into memberships (id, company_id, role, display_name)
     select id, $1, 'TECHNICIAN', 'Technician ' || number from unnest($2::text[]) with ordinality as made (id, number)`,
    [id, technicianIds],
  );
  const template = await findTemplate(client);
  await client.query(
    `insert into jobs
     select made.* from jobs as template, generate_series(1, $2::bigint) as number,
       lateral (select ${jobId('number', '$1')} as id, 10 as version) as changed,
       jsonb_populate_record(template, jsonb_build_object(
         'id', changed.id, 'version', changed.version, 'installer_company_id', $1::text,
         'projection', ${projection('changed', '$3', '$4', '$5')})) as made
     where template.id = $4`,
    [id, JOBS_PER_INSTALLER, template.projection, template.id, template.versionText],
  );
  return { id, apiKey, technicianIds };
}

async function addSeller(client: Client, installer: ApiInstaller, jobIds: readonly string[]) {
  const keys = ['general', 'installer-contractor'] as const;
  const made = await addCompany(client, { class: 'SALES', keys, boundCompanyId: installer.id });
  const [generalKey = '', contractorKey = ''] = made.apiKeys;
  await client.query('insert into contracted_installers values ($1, $2)', [made.id, installer.id]);
  await client.query('update jobs set selling_company_id = $1 where id = any($2::text[])', [made.id, jobIds]);
  return { generalKey, contractorKey, jobIds };
}

/** Adds a feed with one entry for each of the first jobs, so that the entries of a page belong to different jobs. */
async function addFeed(client: Client, installer: ApiInstaller): Promise<void> {
  const template = await findTemplate(client);
  await client.query(
    `insert into feed_entries (company_id, sequence, job_id, changed_at, resource)
     select $1, sequence, changed.id, now(), ${projection('changed', '$3', '$4', '$5')}
     from generate_series(1, $2::bigint) as sequence,
       lateral (select ${jobId('sequence', '$1')} as id, 1 as version) as changed`,
    [installer.id, FEED_ENTRIES, template.projection, template.id, template.versionText],
  );
  await client.query(
    `insert into feed_heads (company_id, last) values ($1, $2)
     on conflict (company_id) do update set last = excluded.last`,
    [installer.id, FEED_ENTRIES],
  );
}

function interleave<T>(items: readonly T[]): T[] {
  const each = items.length / COMPANIES_AT_ONCE;
  return items.flatMap((_, index) => {
    const [item] = items.slice((index % COMPANIES_AT_ONCE) * each + Math.floor(index / COMPANIES_AT_ONCE));
    return item === undefined ? [] : [item];
  });
}

/** Returns the id of a company's job with a number, as an expression: a prefix and 26 characters, like every id. */
function jobId(number: string, companyId: string): string {
  return `'job_0' || lpad((${number})::text, 13, '0') || right(${companyId}, 12)`;
}

function projection(row: string, text: string, id: string, versionText: string): string {
  return `replace(replace(${text}, ${id}, ${row}.id), ${versionText}, '"version":' || ${row}.version || ',')`;
}

/** The job that is copied. `versionText` is the version in the projection's JSON. */
async function findTemplate(client: Client) {
  const found = await client.query<{ id: string; version: number; projection: string }>(
    `select id, version, projection from jobs where status = 'IN_PROGRESS' order by id limit 1`,
  );
  const [row] = found.rows;
  invariant(row, 'the sandbox has a job in progress');
  const versionText = `"version":${row.version},`;
  invariant(row.projection.includes(versionText), 'a projection contains its version');
  return { id: row.id, projection: row.projection, versionText };
}
