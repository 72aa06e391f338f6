import { failureText } from '@partner/kernel/wait-for';
import pg from 'pg';
import type { Queryable } from '../database/database.js';

/** A move that is refused: the message says why and what to do. */
export class MoveRefusedError extends Error {
  override readonly name = 'MoveRefusedError';
}

/**
 * Pairs of companies that share data. A company that has ever installed for another one is contracted by it.
 *
 * Jobs are read through their indexes, so a pair of which none is in the group is not found there.
 */
const LINKED = `
  select selling_company_id as one, installer_company_id as other from contracted_installers
  union select company_id, bound_company_id from api_keys where bound_company_id is not null
  union select company_id, unnest(accounting_company_ids) from accounting_links
  union select selling_company_id, installer_company_id from jobs
    where installer_company_id is not null and (selling_company_id = any($1) or installer_company_id = any($1))`;

/**
 * Checks in the source that companies can be moved: they share no job, key, contract or journal with others, and no erasure is in
 * progress. Throws {@link MoveRefusedError}.
 */
export async function checkSource(source: Queryable, companyIds: readonly string[]): Promise<void> {
  const open = await source.query<{ inside: string; outside: string }>(
    `select distinct case when one = any($1) then one else other end as inside, case when one = any($1) then other else one end as outside
     from (${LINKED}) as linked where (one = any($1)) <> (other = any($1)) order by outside, inside`,
    [companyIds],
  );
  if (open.length > 0) {
    const outside = [...new Set(open.map((pair) => pair.outside))].join(' ');
    const pairs = open.map((pair) => `${pair.inside} with ${pair.outside}`).join(', ');
    throw new MoveRefusedError(
      `companies that share jobs, keys, contracts or a journal move together: ${pairs}. Name ${outside} too`,
    );
  }
  const erasures = await source.query<{ id: string }>('select id from erasures where finished_at is null');
  if (erasures.length > 0) {
    throw new MoveRefusedError(
      `the erasure ${erasures.map(({ id }) => id).join(', ')} is in progress: wait until it has finished`,
    );
  }
}

/** Checks that the databases have the same migrations, and that the target can prepare a transaction. Throws {@link MoveRefusedError}. */
export async function checkDatabases(source: Queryable, target: Queryable): Promise<void> {
  const newest = async (database: Queryable) => {
    const [row] = await database.query<{ name: string }>('select max(name) as name from knex_migrations');
    return row?.name;
  };
  const [here, there] = [await newest(source), await newest(target)];
  if (here !== there) {
    throw new MoveRefusedError(
      `the last migration of the source is ${here}, that of the target ${there}: upgrade both to the same version`,
    );
  }
  const [setting] = await target.query<{ transactions: number }>(
    `select current_setting('max_prepared_transactions')::integer as transactions`,
  );
  if (setting === undefined || setting.transactions < 1) {
    throw new MoveRefusedError(
      'max_prepared_transactions of the target is 0: set it to at least 1 and restart its Postgres',
    );
  }
}

/** Checks that the target has none of the companies. Throws {@link MoveRefusedError}. */
export async function checkTarget(target: Queryable, companyIds: readonly string[]): Promise<void> {
  const known = await target.query<{ id: string }>(
    'select id from companies where id = any($1) order by id',
    [companyIds],
  );
  if (known.length > 0) {
    throw new MoveRefusedError(`the target already has ${known.map(({ id }) => id).join(', ')}`);
  }
}

/** Returns an error without the values of rows that Postgres puts into its details. */
export function describeFailure(error: unknown): string {
  if (error instanceof pg.DatabaseError && error.code === '23505') {
    return `a row of ${error.table} violates ${error.constraint} of the target: something of another company has the same value there`;
  }
  return failureText(error);
}
