import type { QueryResultRow } from 'pg';
import type { PreparedStatement } from './connection-pool.js';

interface Call {
  readonly values: readonly unknown[];
  resolve(rows: QueryResultRow[]): void;
  reject(cause: unknown): void;
}

/** Calls of statements that have not been sent. */
export interface CollectedCalls {
  /** Adds a call and returns its rows. */
  add<Row extends QueryResultRow>(statement: PreparedStatement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs the collected calls, each statement once, in ascending order of names, so that all transactions lock in one order. */
  run(): void;
}

/**
 * Collects calls of statements, so that all calls of one statement are one execution.
 *
 * Such a statement has an array for each value of a call. Each row names its call in the column `call`, from 1.
 */
export function collectCalls(
  execute: (statement: PreparedStatement, columns: readonly unknown[]) => Promise<QueryResultRow[]>,
): CollectedCalls {
  const collected = new Map<PreparedStatement, Call[]>();

  async function runAll(statement: PreparedStatement, calls: readonly Call[]): Promise<void> {
    try {
      const columns = (calls[0]?.values ?? []).map((_, index) => calls.map(({ values }) => values[index]));
      const rows: QueryResultRow[][] = calls.map(() => []);
      for (const row of await execute(statement, columns)) rows[Number(row['call']) - 1]?.push(row);
      for (const [index, { resolve }] of calls.entries()) resolve(rows[index] ?? []);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  return {
    async add<Row extends QueryResultRow>(statement: PreparedStatement, values: readonly unknown[]) {
      return new Promise<Row[]>((resolve, reject) => {
        const calls = collected.get(statement) ?? [];
        calls.push({ values, resolve: (found: Row[]) => resolve(found), reject });
        collected.set(statement, calls);
      });
    },
    run() {
      const all = [...collected].sort(([a], [b]) => (a.name < b.name ? -1 : 1));
      collected.clear();
      for (const [statement, calls] of all) void runAll(statement, calls);
    },
  };
}
