import type { PreparedStatement } from '../database/connection-pool.js';

/** The text of a statement, prepared or not. */
export function textOf(statement: string | PreparedStatement): string {
  return typeof statement === 'string' ? statement : statement.text;
}
