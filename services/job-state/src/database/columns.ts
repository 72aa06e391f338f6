/** What a statement selects: its SQL for the alias of its table, and the type of its value. */
export interface Selected<Value> {
  readonly sql: (alias: string) => string;
  /** Never set: it carries the type. */
  readonly value?: Value;
}

export interface Column<Value> extends Selected<Value> {
  readonly name: string;
  /** Its type in Postgres. */
  readonly type: string;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

/** The row that {@link selectList} selects. */
export type RowOf<Map> = {
  readonly [Field in keyof Map]: Map[Field] extends Selected<infer Value> ? Value : never;
};

export function column<Value>(name: string, type: string): Column<Value> {
  return { name, type, sql: (alias) => `${alias}.${name}` };
}

export function computed<Value>(sql: (alias: string) => string): Selected<Value> {
  return { sql };
}

/** Selects columns and expressions under the names of their fields. */
export function selectList(map: Readonly<Record<string, Selected<unknown>>>, alias: string): string {
  return Object.entries(map)
    .map(([field, { sql }]) => `${sql(alias)} as "${field}"`)
    .join(', ');
}

/** The names of columns, separated by commas. */
export function columnNames(columns: Columns): string {
  return Object.values(columns)
    .map(({ name }) => name)
    .join(', ');
}

/** A relation of rows whose values are parameters of the statement, from this one on: {@link columnArrays}. */
export function unnestColumns(columns: Columns, alias: string, first = 1): string {
  const types = Object.values(columns).map(({ type }, index) => `$${index + first}::${type}[]`);
  return `unnest(${types.join(', ')}) as ${alias} (${columnNames(columns)})`;
}

/** One array for each column, for {@link unnestColumns}. An absent value is null. */
export function columnArrays<Map extends Columns>(
  columns: Map,
  rows: readonly { readonly [Field in keyof Map]?: unknown }[],
): readonly unknown[] {
  return Object.keys(columns).map((field) => rows.map((row) => row[field] ?? null));
}
