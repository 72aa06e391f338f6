import type { QueryResultRow } from 'pg';
import { type PreparedStatement, textOf } from '../database/connection-pool.js';
import type { Database, Transaction } from '../database/database.js';

/** Returns the database with a hook before each statement of a transaction. The hook can read, or throw. */
export function beforeStatement(
  database: Database,
  statement: (text: string, values: readonly unknown[], tx: Transaction) => Promise<void> | void,
): Pick<Database, 'query' | 'transaction'> {
  return {
    query: database.query,
    transaction: (work, limits) =>
      database.transaction(
        (tx) =>
          work({
            ...tx,
            query: async <Row extends QueryResultRow>(
              text: string | PreparedStatement,
              values: readonly unknown[] = [],
            ) => {
              await statement(textOf(text), values, tx);
              return tx.query<Row>(text, values);
            },
          }),
        limits,
      ),
  };
}
