import { componentName, type SchemaNode } from '@partner/proto-contracts/openapi/api-description';
import { fc } from '@partner/test-kit/fast-check';

const LONGEST = 20_000;

/** Texts that have broken servers before. */
const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202e\u200b\u00ad',
  '🏠'.repeat(200),
  'é'.normalize('NFD').repeat(50),
  '../../etc/passwd',
  "'; drop table jobs; --",
  '${jndi:ldap://127.0.0.1/x}',
  '<script>alert(1)</script>',
  '\r\nx-injected: yes',
  '__proto__',
  'constructor',
  'null',
  '%00',
  '%s%n%d',
  'a'.repeat(LONGEST),
];

const ODD_DATE_TIMES: readonly string[] = [
  '2026-08-26',
  '2026-08-26T14:03:00',
  '2026-08-26T14:03:00+00:00',
  '2026-08-26 14:03:00Z',
  '2026-08-26T14:03Z',
  '2026-02-30T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2026-08-26T24:00:00Z',
  '2026-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '1e9',
];

const ODD_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1,
  1.5,
  2_147_483_647,
  2_147_483_648,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER + 1,
  1e308,
  -1e308,
  5e-324,
];

/** A JSON value that a schema may or may not take: on the schema's bounds, just beyond them, or of another kind altogether. */
export function oddValue(
  schema: SchemaNode,
  schemas: Readonly<Record<string, SchemaNode>>,
): fc.Arbitrary<unknown> {
  const name = componentName(schema);
  const component = name === undefined ? undefined : schemas[name];
  if (component !== undefined) return oddValue(component, schemas);
  return fc.oneof(
    { weight: 3, arbitrary: nearlyFitting(schema, schemas) },
    { weight: 2, arbitrary: oddText() },
    { weight: 1, arbitrary: otherKind() },
  );
}

/** A text that has broken servers before, or any other. */
export function oddText(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 60 }));
}

function otherKind(): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc.constantFrom<unknown>(null, true, false, [], {}, [[]], { length: 3 }, { toString: 'x' }),
    fc.constantFrom(...ODD_NUMBERS),
    fc.integer({ min: 2, max: 2_000 }).map(nested),
    fc.jsonValue({ maxDepth: 3 }),
  );
}

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function nearlyFitting(
  schema: SchemaNode,
  schemas: Readonly<Record<string, SchemaNode>>,
): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) {
    return fc.constantFrom(...schema.enum, ...schema.enum.map((member) => String(member).toLowerCase()), '');
  }
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'string':
      return schema.format === 'date-time' ? fc.constantFrom(...ODD_DATE_TIMES) : textAroundBounds(schema);
    case 'integer':
    case 'number':
      return fc.constantFrom(
        ...ODD_NUMBERS,
        ...[schema.minimum, schema.maximum].flatMap((bound) =>
          bound === undefined ? [] : [bound - 1, bound, bound + 1],
        ),
      );
    case 'array':
      return arrayAroundBounds(schema, schemas);
    case 'object':
      return fc.record(
        Object.fromEntries(
          Object.entries(schema.properties ?? {}).map(([name, member]) => [name, oddValue(member, schemas)]),
        ),
        { requiredKeys: [] },
      );
    default:
      return otherKind();
  }
}

function textAroundBounds({ minLength = 0, maxLength = 300 }: SchemaNode): fc.Arbitrary<string> {
  const lengths = [minLength - 1, minLength, maxLength, maxLength + 1].filter(
    (length) => length >= 0 && length <= LONGEST,
  );
  return fc
    .tuple(fc.constantFrom(...lengths), fc.constantFrom('a', ' ', 'ß', '🏠', '\u0301', '"', '\\'))
    .map(([length, unit]) => unit.repeat(length));
}

function arrayAroundBounds(
  { minItems = 0, maxItems = 30, items = {} }: SchemaNode,
  schemas: Readonly<Record<string, SchemaNode>>,
): fc.Arbitrary<unknown> {
  return fc.oneof(
    fc
      .constantFrom(minItems, maxItems, maxItems + 1, 5_000)
      .map((length) => Array.from({ length }, () => 'mem_a')),
    fc
      .constantFrom(maxItems, maxItems + 1)
      .map((length) => Array.from({ length }, (_, place) => `mem_${place}`)),
    fc.array(oddValue(items, schemas), { maxLength: 5 }),
  );
}
