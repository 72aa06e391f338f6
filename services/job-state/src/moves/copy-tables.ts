import { pipeline } from 'node:stream/promises';
import type { Logger } from '@partner/kernel/logger';
import { invariant } from '@partner/kernel/invariant';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { MoveConnections } from './move-connections.js';
import { MOVED_TABLES, type MovedTable } from './moved-tables.js';

/** The rows of the companies changed while they were copied; both transactions must be rolled back; a retry can succeed. */
export class RowsChangedError extends Error {
  override readonly name = 'RowsChangedError';
}

/** The rows of companies in a table. */
interface Rows {
  readonly count: number;
  /** Sum of the hashes of the rows, as a decimal text. */
  readonly hash: string;
}

/**
 * Copies the rows of companies in the open transactions of both databases, and returns their number for each table.
 *
 * Rows are locked as they are read, so that no later change is lost. Then count and hash of the rows must be the same in both databases,
 * else it throws {@link RowsChangedError}. Locks: the rows, in the order of {@link MOVED_TABLES}.
 */
export async function copyTables(
  { source, target }: MoveConnections,
  companyIds: readonly string[],
  logger: Pick<Logger, 'info'>,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const table of MOVED_TABLES) {
    const columns = await columnsOf(source, table);
    const where = conditionOf(table, companyIds);
    const order = table.renumbered === undefined ? '' : `order by t.${table.renumbered}`;
    const listed = columns.map((column) => `t.${column}`).join(', ');
    await pipeline(
      source.query(
        copyTo(
          `copy (select ${listed} from ${table.name} t where ${where} ${order} for update of t) to stdout`,
        ),
      ),
      target.query(copyFrom(`copy ${table.name} (${columns.join(', ')}) from stdin`)),
    );
    const rowsOf = (client: pg.Client) => readRows(client, `${table.name} t where ${where}`, listed);
    const [here, there] = await Promise.all([rowsOf(source), rowsOf(target)]);
    if (here.count !== there.count || here.hash !== there.hash) {
      throw new RowsChangedError(
        `${table.name} has ${here.count} rows in the source and ${there.count} in the target${here.count === there.count ? ', which differ' : ''}`,
      );
    }
    counts.set(table.name, here.count);
    logger.info({ table: table.name, rows: here.count }, 'move.rows_copied');
  }
  return counts;
}

/**
 * Deletes the rows of companies in an open transaction.
 *
 * Throws {@link RowsChangedError} if their number is another one than that of the copied rows.
 */
export async function deleteTables(
  source: pg.Client,
  companyIds: readonly string[],
  copied: ReadonlyMap<string, number>,
): Promise<void> {
  for (const table of MOVED_TABLES.toReversed()) {
    const { rowCount } = await source.query(
      `delete from ${table.name} t where ${conditionOf(table, companyIds)}`,
    );
    if (rowCount !== copied.get(table.name)) {
      throw new RowsChangedError(`${table.name} got rows while it was copied`);
    }
  }
}

/** A copy takes no parameters, so the ids are literals. */
function conditionOf({ where }: MovedTable, companyIds: readonly string[]): string {
  return where.replaceAll('{companies}', `array[${companyIds.map(pg.escapeLiteral).join(', ')}]::text[]`);
}

async function columnsOf(source: pg.Client, { name, renumbered }: MovedTable): Promise<readonly string[]> {
  const { rows } = await source.query<{ name: string }>(
    `select quote_ident(attname) as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
    [name],
  );
  return rows.map((column) => column.name).filter((column) => column !== renumbered);
}

async function readRows(client: pg.Client, from: string, columns: string): Promise<Rows> {
  const { rows } = await client.query<{ count: string; hash: string }>(
    `select count(*) as count, coalesce(sum(hashtextextended(row(${columns})::text, 0)::numeric), 0)::text as hash from ${from}`,
  );
  const [row] = rows;
  invariant(row, 'an aggregate has a row');
  return { count: Number(row.count), hash: row.hash };
}
