import type { QueryResultRow } from 'pg';
import type { PreparedStatement } from '../database/connection-pool.js';
import { textOf } from './statement-text.js';
import type { Database, Transaction } from '../database/database.js';

/** Returns the database with a hook before each statement of a transaction. The hook can read, or throw. */
export function beforeStatement(
  database: Database,
  statement: (text: string, values: readonly unknown[], tx: Transaction) => Promise<void> | void,
): Pick<Database, 'query' | 'transaction'> {
  return {
    query: database.query,
    transaction: (work, limits) =>
      database.transaction(async (tx) => {
        const hooks: Promise<void>[] = [];
        const hook = (text: string, values: readonly unknown[]) => {
          const hooked = Promise.resolve(statement(text, values, tx));
          hooks.push(hooked);
          return hooked;
        };
        const result = await work({
          ...tx,
          query: async <Row extends QueryResultRow>(
            text: string | PreparedStatement,
            values: readonly unknown[] = [],
          ) => {
            await hook(textOf(text), values);
            return tx.query<Row>(text, values);
          },
        });
        // The commit waits for a statement whose result the work does not wait for.
        await Promise.all(hooks);
        return result;
      }, limits),
  };
}
