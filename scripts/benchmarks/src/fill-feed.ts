import { createApiKey } from '@partner/kernel/api-key';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { withPostgres } from '@partner/test-kit/backing-services/postgres';

type Client = Parameters<Parameters<typeof withPostgres>[1]>[0];

/** An installer company whose feed is inserted by statements, not caused by changes of its jobs. */
export interface BenchCompany {
  readonly id: string;
  readonly apiKey: string;
}

/** Number of entries of each job in a feed. */
const CHANGES_PER_JOB = 10;

const LIMITLESS = 1_000_000_000;

/** Creates an installer company without jobs and without an effective rate limit. */
export async function addInstallerCompany(client: Client, name: string): Promise<BenchCompany> {
  const id = newId('cmp');
  const key = createApiKey('sandbox');
  await client.query(
    `insert into companies (id, name, class, installer_requests_per_minute) values ($1, $2, 'INSTALLER', $3)`,
    [id, name, LIMITLESS],
  );
  await client.query(
    `insert into api_keys (id, company_id, kind, secret_sha256, last_four)
     values ($1, $2, 'installer-company', $3, $4)`,
    [key.keyId, id, key.secretSha256, key.lastFour],
  );
  return { id, apiKey: key.text };
}

/**
 * Inserts the jobs for a feed of the given number of changes: copies of a job of the sandbox under other ids. They change
 * in turn, so that the entries of a page belong to different jobs.
 */
export async function addJobs(client: Client, company: BenchCompany, changes: number): Promise<void> {
  const template = await findTemplate(client);
  await client.query(
    `insert into jobs
     select made.* from jobs as template, generate_series(1, $2::bigint) as number,
       lateral (select ${jobId('number', '$1')} as id, ($3::bigint - number) / $2 + 1 as version) as changed,
       jsonb_populate_record(template, jsonb_build_object(
         'id', changed.id, 'version', changed.version, 'installer_company_id', $1::text,
         'projection', ${projection('changed', '$4', '$5', '$6')})) as made
     where template.id = $5`,
    [company.id, jobsOf(changes), changes, template.projection, template.id, template.versionText],
  );
}

/** Adds the entries `from` to `to` of a feed that will have `changes` changes, with the projections of {@link addJobs}. */
export async function addChanges(
  client: Client,
  company: BenchCompany,
  feed: { readonly from: number; readonly to: number; readonly changes: number },
): Promise<void> {
  const template = await findTemplate(client);
  await client.query(
    `insert into feed_entries (company_id, sequence, job_id, changed_at, resource)
     select $1, changed.sequence, changed.id, now() - make_interval(secs => $4::bigint - changed.sequence),
       ${projection('changed', '$6', '$7', '$8')}
     from (
       select sequence, ${jobId('(sequence - 1) % $5 + 1', '$1')} as id, (sequence - 1) / $5 + 1 as version
       from generate_series($2::bigint, $3::bigint) as sequence
     ) as changed`,
    [
      company.id,
      feed.from,
      feed.to,
      feed.changes,
      jobsOf(feed.changes),
      template.projection,
      template.id,
      template.versionText,
    ],
  );
  await client.query(
    `insert into feed_heads (company_id, last) values ($1, $2)
     on conflict (company_id) do update set last = excluded.last`,
    [company.id, feed.to],
  );
}

/** Completes the server's deferred work: hint bits, statistics and dirty pages. */
export async function settle(client: Client): Promise<void> {
  await client.query('vacuum (analyze) feed_entries, feed_heads, jobs');
  await client.query('checkpoint');
}

function jobsOf(changes: number): number {
  return Math.ceil(changes / CHANGES_PER_JOB);
}

/** Returns the id of a company's job with a number, as an expression: a prefix and 26 characters, like every id. */
function jobId(number: string, companyId: string): string {
  return `'job_0' || lpad((${number})::text, 13, '0') || right(${companyId}, 12)`;
}

/** Returns the template's projection with the id and version of a row, as an expression. */
function projection(row: string, text: string, id: string, versionText: string): string {
  return `replace(replace(${text}, ${id}, ${row}.id), ${versionText}, '"version":' || ${row}.version || ',')`;
}

interface Template {
  readonly id: string;
  readonly projection: string;
  /** The version in the projection's JSON. */
  readonly versionText: string;
}

async function findTemplate(client: Client): Promise<Template> {
  const found = await client.query<{ id: string; version: number; projection: string }>(
    `select id, version, projection from jobs where status = 'IN_PROGRESS' order by id limit 1`,
  );
  const [row] = found.rows;
  invariant(row, 'the sandbox has a job in progress');
  const versionText = `"version":${row.version},`;
  invariant(row.projection.includes(versionText), 'a projection contains its version');
  return { id: row.id, projection: row.projection, versionText };
}
