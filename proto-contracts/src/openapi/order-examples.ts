/** Fields and parameters that end what another one beside them begins. */
const ENDS: ReadonlySet<unknown> = new Set([
  ...['to', 'endsAt', 'dueAt', 'expiresAt', 'finishedAt', 'lastAt', 'lastSeenAt', 'lastUsedAt', 'newest'],
  ...['committedAt', 'revokedAt', 'updatedAt'],
]);

const LATER_MS = 2 * 3_600_000;

/**
 * Moves the example of each field that ends a span to a later instant. All date-times share one example, so an object of examples,
 * as client generators and mock servers build it, would end when it begins.
 */
export function orderExamples(value: unknown, seen = new Set<object>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const member of Object.values(value)) orderExamples(member, seen);
  if ('properties' in value && isObject(value.properties)) {
    for (const [name, field] of Object.entries(value.properties)) if (ENDS.has(name)) moveExamples(field);
  }
  if ('in' in value && 'name' in value && 'schema' in value && ENDS.has(value.name))
    moveExamples(value.schema);
}

function moveExamples(schema: unknown): void {
  if (!isObject(schema) || schema['format'] !== 'date-time' || !Array.isArray(schema['examples'])) return;
  schema['examples'] = schema['examples'].map((text: unknown) => {
    const later = new Date(Date.parse(String(text)) + LATER_MS).toISOString();
    return String(text).includes('.') ? later : later.replace('.000Z', 'Z');
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
