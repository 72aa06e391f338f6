import type { Queryable } from './database.js';

/** Runs a statement that names its parameters in braces, e.g. `{company}`. Lists are arrays of texts. */
export function queryNamed<Row extends Readonly<Record<string, unknown>>>(
  database: Queryable,
  statement: string,
  given: Readonly<Record<string, unknown>>,
): Promise<Row[]> {
  const names: string[] = [];
  const text = statement.replaceAll(/\{([a-z]\w*)\}/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}${Array.isArray(given[name]) ? '::text[]' : ''}`;
  });
  return database.query<Row>(
    text,
    names.map((name) => given[name] ?? null),
  );
}
