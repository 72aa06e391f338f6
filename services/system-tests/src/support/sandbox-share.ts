import { migrateAndSeed } from '@partner/local-stack/stack/fill-database';
import { type SandboxCompany, sandboxCompany } from '@partner/local-stack/stack/stack-description';
import { baseEnvironment } from '@partner/test-kit/backing-services/local-process';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { testPostgresUrl } from '@partner/test-kit/backing-services/server-urls';
import { type ServerShare, takeServerShare } from '@partner/test-kit/backing-services/take-server-share';
import { z } from 'zod';

/** One lock number for all test files that start a stack concurrently. */
const TEMPLATE_LOCK = 4_207_314;

/**
 * Takes a share of the servers of the test run whose database has the sandbox. The first one of the run migrates and seeds its database;
 * the others are copies of it.
 */
export async function takeSandboxShare(): Promise<
  ServerShare & { readonly companies: readonly SandboxCompany[] }
> {
  const share = await takeServerShare();
  const name = new URL(share.postgresUrl).pathname.slice(1);
  const companies = await withPostgres(testPostgresUrl(), async (client) => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await client.query('create table if not exists sandbox_templates (companies jsonb)');
    const { rows } = await client.query<{ companies: unknown }>('select companies from sandbox_templates');
    if (rows[0] !== undefined) {
      await client.query(`drop database ${name}`);
      await client.query(`create database ${name} template sandbox_template`);
      return z.array(sandboxCompany).parse(rows[0].companies);
    }
    const seeded = await migrateAndSeed({ ...baseEnvironment(), POSTGRES_URL: share.postgresUrl });
    await client.query(`create database sandbox_template template ${name}`);
    await client.query('insert into sandbox_templates values ($1)', [JSON.stringify(seeded)]);
    return seeded;
  });
  return { ...share, companies };
}
