import { Buffer } from 'node:buffer';
import {
  type ApiDescription,
  componentName,
  type DescribedOperation,
  type SchemaNode,
} from '@partner/proto-contracts/openapi/api-description';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { either, fc } from '@partner/test-kit/fast-check';

/** A request whose path, query and body may be odd. */
export interface OddRequest {
  /** Path and query, percent-encoded well or badly. */
  readonly target: string;
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

/** What the requests of one operation begin from, so that they get past the first checks often enough. */
export interface Basis {
  /** Something real for each path parameter. */
  readonly pathValue: string;
  /** Something real for the fields of a body that an example cannot know. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Texts that have broken servers before. */
const ODD_TEXTS: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\udc00\ud800', '\ufeff', '\u202e\u200b\u00ad', '%00'],
  ...['🏠'.repeat(200), 'é'.normalize('NFD').repeat(50), '\r\nx-injected: yes', 'a'.repeat(20_000)],
  ...["'; drop table jobs; --", '${jndi:ldap://127.0.0.1/x}', '__proto__', 'constructor', 'null'],
  ...['2026-02-30T00:00:00Z', '2026-12-31T23:59:60Z', '0000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z'],
  ...['2026-08-26T24:00:00Z', '9999-12-31T23:59:59.999999999Z', '2026-08-26T14:03:00+00:00', '1e9'],
];

const ODD_NUMBERS = [0, -0, -1, 1, 1.5, 2 ** 31 - 1, 2 ** 31, Number.MAX_SAFE_INTEGER + 1, 1e308, 5e-324];

/** Draws requests of one operation out of the API description. Odd headers and codings are tables of the gateways' own tests. */
export function oddRequest(
  description: ApiDescription,
  operation: DescribedOperation,
  { pathValue, fields }: Basis,
): fc.Arbitrary<OddRequest> {
  const path = mostly(fc.constant(pathValue), oddPathValue()).map((value) =>
    operation.path.replaceAll(/\{\w+\}/g, () => value),
  );
  const bytes =
    operation.body === undefined ? fc.constant(undefined) : oddBody(description, operation, fields);
  return fc
    .tuple(path, oddQuery(description, operation), bytes)
    .map(([place, query, body]) => ({ target: place + query, bytes: body }));
}

function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return either([6, usual], [1, odd]);
}

/** Percent-encoded; half a surrogate pair as the bytes that no UTF-8 has. */
function percentEncoded(text: string): string {
  return Array.from(text, (character) =>
    /\p{Surrogate}/u.test(character) ? '%ed%a0%80' : encodeURIComponent(character),
  )
    .join('')
    .slice(0, 6_000);
}

const oddText = (): fc.Arbitrary<string> =>
  fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 60 }));

const oddPathValue = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('%00', '%zz', '%ff', '%2e%2e%2f', 'a'.repeat(3_000), '.', '%20', '*', '{id}'),
    oddText().map((text) => percentEncoded(text) || '%20'),
  );

/** A JSON value that a schema may or may not allow: around the bounds of a variant, or of another kind altogether. */
function oddValue(schema: SchemaNode, schemas: ApiDescription['schemas']): fc.Arbitrary<unknown> {
  return fc.constantFrom(...variantsOf(schema, schemas)).chain(oddVariant);
}

function oddVariant(variant: SchemaNode): fc.Arbitrary<unknown> {
  const { minLength = 0, maxLength = 300, minItems = 0, maxItems = 30, ...rest } = variant;
  const lengths = [minLength - 1, minLength, maxLength, maxLength + 1].filter((length) => length >= 0);
  const bounds = [rest.minimum, rest.maximum].flatMap((bound) =>
    bound === undefined ? [] : [bound - 1, bound, bound + 1],
  );
  const items = [minItems, maxItems, maxItems + 1, 5_000].flatMap((length) => [
    Array.from({ length }, () => 'mem_a'),
    Array.from({ length }, (_, place) => `mem_${place}`),
  ]);
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...lengths), fc.constantFrom('a', ' ', 'ß', '🏠', '\u0301', '"', '\\'))
      .map(([length, unit]) => unit.repeat(length)),
    oddText(),
    fc.constantFrom<unknown>(...(rest.enum ?? []), ...bounds, ...ODD_NUMBERS),
    fc.constantFrom<unknown>(null, true, [], {}, [[]], { length: 3 }, { toString: 'x' }, ...items),
    fc.integer({ min: 2, max: 2_000 }).map(nested),
    fc.jsonValue({ maxDepth: 3 }),
  );
}

/** The schema behind references and selections: itself, or each that a value may have. */
function variantsOf(schema: SchemaNode, schemas: ApiDescription['schemas']): readonly SchemaNode[] {
  const component = schemas[componentName(schema) ?? ''];
  const parts = component === undefined ? [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])] : [component];
  return parts.length === 0 ? [schema] : parts.flatMap((part) => variantsOf(part, schemas));
}

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function oddQuery(
  { schemas }: ApiDescription,
  { parameters }: Pick<DescribedOperation, 'parameters'>,
): fc.Arbitrary<string> {
  const one = ({ name, schema }: DescribedOperation['parameters'][number]) =>
    fc.oneof(
      oddValue(schema, schemas).map((value) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return `${name}=${percentEncoded(text)}`;
      }),
      fc.constantFrom(
        ...[name, `${name}=1&${name}=2`, `${name}[]=1`, `${name}[a][b]=1`, `${name}=%zz`, `${name}=%00`],
        ...[`${name.toUpperCase()}=1`, `&&=&${name}==`, '__proto__[x]=1'],
      ),
    );
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const unknown = fc.constantFrom(
    '',
    '?',
    '?unknown=1',
    '?a[b][c][d][e][f][g]=1',
    `?${'a=1&'.repeat(1_500)}`,
  );
  if (known.length === 0) return unknown;
  const chosen = fc.subarray(known, { minLength: 1 }).chain((some) => fc.tuple(...some.map(one)));
  return mostly(
    chosen.map((pairs) => `?${pairs.join('&')}`),
    unknown,
  );
}

function oddBody(
  { schemas }: ApiDescription,
  { body }: DescribedOperation,
  fields: Basis['fields'],
): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const fieldsOfVariants = variantsOf(body?.schema ?? {}, schemas).flatMap(({ properties = {} }) =>
    Object.entries(properties),
  );
  const examples = body?.examples.map(({ value }) => withReal(value, fields)) ?? [];
  const example = fc.constantFrom(...(examples.length === 0 ? [{}] : examples));
  const oddField = fc
    .constantFrom(...fieldsOfVariants)
    .chain(([name, member]) => oddValue(member, schemas).map((value) => ({ [name]: value })));
  const value = either<unknown>(
    [6, fc.tuple(example, oddField).map(([good, odd]) => mixed(good, odd))],
    [1, example],
    [1, fc.jsonValue()],
  );
  const text = value.map((one) => Uint8Array.from(Buffer.from(JSON.stringify(one))));
  return either(
    [8, text],
    [
      2,
      fc.oneof(
        rawText(),
        fc.uint8Array().map((bytes) => Uint8Array.from(bytes)),
      ),
    ],
  );
}

/** The example with what is real in place of what it has made up. */
function withReal(example: unknown, fields: Basis['fields']): unknown {
  if (!isObject(example)) return example;
  const real = Object.entries(fields).filter(([name]) => Object.hasOwn(example, name));
  return { ...example, ...Object.fromEntries(real) };
}

/** The good value with some of its fields replaced by those of the odd one. */
function mixed(good: unknown, odd: unknown): unknown {
  return isObject(good) && isObject(odd) ? { ...good, ...odd } : good;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Bytes that are no JSON, hardly any, or of a size at the limit. */
function rawText(): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const sized = (bytes: number) => `{"note":"${'a'.repeat(bytes - '{"note":""}'.length)}"}`;
  return fc
    .constantFrom(
      ...['', '{', '{"a":1,}', '{"a":1}{"a":2}', '\ufeff{"a":1}', 'null', '"text"', '[]'],
      ...['{"note":"\\ud800"}', '{"note":"a","note":"b"}', '{"expectedVersion":1e400}'],
      ...['{"__proto__":{"note":"a"},"constructor":{"prototype":{"note":"b"}}}', '['.repeat(200_000)],
      ...[`{"expectedVersion":${'9'.repeat(5_000)}}`, sized(LIMITS.bodyBytes), sized(LIMITS.bodyBytes + 1)],
    )
    .map((text) => Uint8Array.from(Buffer.from(text)));
}
