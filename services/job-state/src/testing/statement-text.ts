import type { PreparedStatement } from '../database/connection-pool.js';

export function textOf(statement: string | PreparedStatement): string {
  return typeof statement === 'string' ? statement : statement.text;
}
