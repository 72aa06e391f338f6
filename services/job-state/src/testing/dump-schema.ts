import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { findProgram } from '@partner/test-kit/backing-services/local-process';
import { findPostgres } from '@partner/test-kit/backing-services/postgres';

/**
 * Returns the schema of a database as SQL.
 *
 * It omits what differs between versions or runs of `pg_dump`: comments, settings, owners and knex's own tables.
 */
export function dumpSchema(url: string): string {
  const installed = findPostgres();
  const program = findProgram('pg_dump', installed === undefined ? [] : [path.dirname(installed.server)]);
  if (program === undefined) throw new Error('pg_dump is not installed');
  const dump = execFileSync(
    program,
    ['--schema-only', '--no-owner', '--no-privileges', '--exclude-table=knex_*', `--dbname=${url}`],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const lines = dump
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\)/.test(line));
  return `${lines
    .join('\n')
    .replace(/\n{2,}/g, '\n\n')
    .trim()}\n`;
}
