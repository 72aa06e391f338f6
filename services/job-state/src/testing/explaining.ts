import type { QueryResultRow } from 'pg';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';
import { textOf } from './statement-text.js';

/** Reads the numbers of rows of a plan, or of parts of it. */
export function rowsIn(plan: string, what: 'Actual Rows' | 'Rows Removed by Filter'): readonly number[] {
  return [...plan.matchAll(new RegExp(`"${what}":(\\d+)`, 'g'))].map(([, rows]) => Number(rows));
}

/** A database whose statements with this text are also explained, so they run twice. */
export function explaining(database: Queryable, withText = '') {
  const plans: string[] = [];
  return {
    plans,
    query: async <Row extends QueryResultRow>(
      statement: string | PreparedStatement,
      values?: readonly unknown[],
    ) => {
      const text = textOf(statement);
      if (text.includes(withText)) {
        plans.push(JSON.stringify(await database.query(`explain (analyze, format json) ${text}`, values)));
      }
      return database.query<Row>(statement, values);
    },
  };
}
