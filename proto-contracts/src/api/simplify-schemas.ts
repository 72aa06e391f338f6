type JsonObject = Record<string, unknown>;

/** Formats that cover zod's pattern completely. Some generators apply a pattern to the parsed value and fail. */
const FORMATS_WITHOUT_PATTERN = new Set<unknown>(['email', 'date-time']);

/**
 * Simplifies every schema in a document for readers. It removes JavaScript's number bounds, and patterns that repeat a
 * type or format. It writes whole numbers as integers and "this or null" as one type. It opens responses to new fields.
 */
export function simplifySchemas(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) simplifySchemas(member);
  if (isObject(value)) simplify(value);
}

function simplify(schema: JsonObject): void {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  const values = 'const' in schema ? [schema['const']] : listOf(schema['enum']);
  if (schema['type'] === 'number' && values.length > 0 && values.every(Number.isInteger)) {
    schema['type'] = 'integer';
  }
  if (schema['type'] === 'integer' || FORMATS_WITHOUT_PATTERN.has(schema['format'])) delete schema['pattern'];
  const [given, nothing, ...others] = listOf(schema['anyOf']);
  if (!isObject(given) || !isObject(nothing) || nothing['type'] !== 'null' || others.length > 0) return;
  if (typeof given['type'] !== 'string') return;
  delete schema['anyOf'];
  Object.assign(schema, { ...given, ...schema, type: [given['type'], 'null'] });
  if (given['enum'] !== undefined) schema['enum'] = [...listOf(given['enum']), null];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
