/** A JSON Schema, as far as fields can be told from it. */
interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** The paths of all fields of a JSON value that hold no object: `a.b`, and `a[].b` for what stands in an array. */
export function valuePaths(value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return unique(items.flatMap((item) => valuePaths(item, `${at}[]`)));
  }
  if (typeof value !== 'object' || value === null) return [at];
  return unique(Object.entries(value).flatMap(([name, inner]) => valuePaths(inner, join(at, name))));
}

/**
 * The paths of all fields that a value can have, by its JSON Schema. Throws for a schema that leaves fields open: of such a one
 * nobody can say what leaves.
 */
export function schemaPaths(schema: unknown): readonly string[] {
  const root = objectOf(schema);
  return pathsIn(root, objectOf(root['$defs'] ?? {}), '');
}

function pathsIn(schema: JsonSchema, definitions: JsonSchema, at: string): readonly string[] {
  const { $ref: reference, anyOf, type, properties, items } = schema;
  if (typeof reference === 'string') {
    return pathsIn(objectOf(definitions[reference.replace('#/$defs/', '')]), definitions, at);
  }
  if (Array.isArray(anyOf)) {
    const choices: readonly unknown[] = anyOf;
    return unique(
      choices
        .map(objectOf)
        .filter((choice) => choice['type'] !== 'null')
        .flatMap((choice) => pathsIn(choice, definitions, at)),
    );
  }
  if (type === 'object') {
    if (schema['additionalProperties'] !== false) throw new Error(`${at} may have any field`);
    return Object.entries(objectOf(properties)).flatMap(([name, inner]) =>
      pathsIn(objectOf(inner), definitions, join(at, name)),
    );
  }
  if (type === 'array') return pathsIn(objectOf(items), definitions, `${at}[]`);
  return [at];
}

function objectOf(value: unknown): JsonSchema {
  if (typeof value !== 'object' || value === null) throw new Error('a schema is an object');
  return { ...value };
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function unique(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}
