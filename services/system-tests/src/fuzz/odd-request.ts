import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import {
  type ApiDescription,
  componentName,
  type DescribedOperation,
  type SchemaNode,
} from '@partner/proto-contracts/openapi/api-description';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { either, fc } from '@partner/test-kit/fast-check';

/** A request that is well-formed HTTP and may be odd in every other way. */
export interface OddRequest {
  readonly method: string;
  /** Path and query, percent-encoded well or badly. */
  readonly target: string;
  /** In the order in which they are sent; the same name may be there twice. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
}

type Headers = OddRequest['headers'];

/** What every request of one operation begins from, so that it gets past the first checks often enough. */
export interface Credentials {
  readonly headers: Headers;
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

/** Draws requests of one operation out of the API description, each odd in some of its parts. */
export function oddRequest(
  description: ApiDescription,
  operation: DescribedOperation,
  { headers, pathValue, fields }: Credentials,
): fc.Arbitrary<OddRequest> {
  return fc
    .record({
      path: mostly(fc.constant(pathValue), oddPathValue()).map((value) =>
        operation.path.replaceAll(/\{\w+\}/g, () => value),
      ),
      query: oddQuery(description, operation),
      credentials: mostly(fc.constant(headers), oddCredentials(headers)),
      headers: oddHeaders(),
      body: operation.body === undefined ? oddBodyOfNone() : oddBody(description, operation, fields),
    })
    .map((parts) => ({
      method: operation.method,
      target: parts.path + parts.query,
      headers: [...parts.credentials, ...parts.body.headers, ...parts.headers],
      body: parts.body.bytes,
    }));
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

/** What a header can hold: no control characters, nothing outside Latin-1. */
const latinText = (): fc.Arbitrary<string> =>
  fc
    .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 150 })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f)).trim());

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

function oddCredentials(headers: Headers): fc.Arbitrary<Headers> {
  const withValue = (change: (value: string) => string): Headers =>
    headers.map(([name, value]) => [name, change(value)]);
  return fc.oneof(
    fc.constantFrom<Headers>(
      [],
      [...headers, ...headers],
      withValue((value) => `${value}x`),
      withValue((value) => value.toUpperCase()),
      withValue(() => 'a'.repeat(8_000)),
    ),
    latinText().map((text) => withValue(() => text)),
  );
}

function oddHeaders(): fc.Arbitrary<Headers> {
  const name = fc.constantFrom(
    ...['idempotency-key', 'x-request-id', 'x-svc-api-version', 'if-none-match', 'accept', 'accept-encoding'],
    ...['x-forwarded-for', 'x-forwarded-proto', 'x-http-method-override', 'traceparent', 'tracestate'],
    ...['baggage', 'origin', 'cookie', 'range', 'te', 'forwarded'],
  );
  const value = fc.oneof(
    latinText(),
    fc.constantFrom('', '*', '"', 'W/"', '2026-08-26', '2020-01-01', 'ok-1'),
    fc.constantFrom('a'.repeat(128), 'a'.repeat(129), 'a'.repeat(4_000)),
  );
  const several = fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .chain((headers) => fc.constantFrom<Headers>(headers, [...headers, ...headers]));
  return either([3, fc.nat(1_000).map((key): Headers => [['idempotency-key', `fuzz-${key}`]])], [2, several]);
}

interface OddBody {
  readonly headers: Headers;
  readonly bytes: Buffer | undefined;
}

const jsonOf = (bytes: Buffer, ...headers: Headers): OddBody => ({
  headers: [['content-type', 'application/json'], ...headers],
  bytes,
});

function oddBodyOfNone(): fc.Arbitrary<OddBody> {
  return mostly(
    fc.constant<OddBody>({ headers: [], bytes: undefined }),
    fc.constantFrom<OddBody>(jsonOf(Buffer.from('{}')), jsonOf(Buffer.from('{"a":')), {
      headers: [],
      bytes: Buffer.alloc(LIMITS.bodyBytes + 1, 0x20),
    }),
  );
}

function oddBody(
  { schemas }: ApiDescription,
  { body }: DescribedOperation,
  fields: Credentials['fields'],
): fc.Arbitrary<OddBody> {
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
  const text = value.map((one) => Buffer.from(JSON.stringify(one)));
  const type = fc.constantFrom(
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'APPLICATION/JSON',
    ],
    ...['application/json; charset=utf-16', 'application/json; charset=nonsense', 'application/json;;;'],
  );
  const coding = fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'nonsense', 'gzip, gzip');
  const typed = fc
    .tuple(text, type)
    .map(([bytes, name]): OddBody => ({ headers: [['content-type', name]], bytes }));
  const coded = fc
    .tuple(text, coding)
    .map(([bytes, name]) =>
      jsonOf(name.startsWith('gzip') ? gzipSync(bytes) : bytes, ['content-encoding', name]),
    );
  const raw = fc.oneof(rawText(), fc.uint8Array().map(Buffer.from)).map((bytes) => jsonOf(bytes));
  return either([8, text.map((bytes) => jsonOf(bytes))], [2, raw], [1, typed], [1, coded]);
}

/** The example with what is real in place of what it has made up. */
function withReal(example: unknown, fields: Credentials['fields']): unknown {
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
function rawText(): fc.Arbitrary<Buffer> {
  const sized = (bytes: number) => `{"note":"${'a'.repeat(bytes - '{"note":""}'.length)}"}`;
  return fc
    .constantFrom(
      ...['', '{', '{"a":1,}', '{"a":1}{"a":2}', '\ufeff{"a":1}', 'null', '"text"', '[]'],
      ...['{"note":"\\ud800"}', '{"note":"a","note":"b"}', '{"expectedVersion":1e400}'],
      ...['{"__proto__":{"note":"a"},"constructor":{"prototype":{"note":"b"}}}', '['.repeat(200_000)],
      ...[`{"expectedVersion":${'9'.repeat(5_000)}}`, sized(LIMITS.bodyBytes), sized(LIMITS.bodyBytes + 1)],
    )
    .map((text) => Buffer.from(text));
}
