import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type pg from 'pg';

const MIGRATE = path.join(PROJECT_ROOT, 'services/job-state/dist/migrate.js');

/** The statements with which an administrator creates the users of the database. */
export const ROLES = readFileSync(path.join(PROJECT_ROOT, 'charts/job-state/files/roles.sql'), 'utf8');

/** Migrates a database as the job of the chart does, with additional variables. */
export async function migrate(url: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await promisify(execFile)(process.execPath, [MIGRATE], { env: { ...env, POSTGRES_URL: url } });
}

export function query(url: string, ...statements: readonly string[]): Promise<pg.QueryResult[]> {
  return withPostgres(url, async (client) => {
    const results: pg.QueryResult[] = [];
    for (const statement of statements) results.push(await client.query(statement));
    return results;
  });
}
