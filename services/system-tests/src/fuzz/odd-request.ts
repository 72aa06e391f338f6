import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import {
  type ApiDescription,
  componentName,
  type DescribedOperation,
  type DescribedParameter,
  type SchemaNode,
} from '@partner/proto-contracts/openapi/api-description';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { fc } from '@partner/test-kit/fast-check';
import { oddText, oddValue } from './odd-values.js';

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

/** Draws requests of one operation out of the API description, each odd in some of its parts. */
export function oddRequest(
  description: ApiDescription,
  operation: DescribedOperation,
  { headers, pathValue, fields }: Credentials,
): fc.Arbitrary<OddRequest> {
  return fc
    .record({
      path: oddPath(operation.path, pathValue),
      query: oddQuery(description, operation.parameters),
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

/** Percent-encoded; half a surrogate pair as the bytes that no UTF-8 has. */
function percentEncoded(text: string): string {
  return Array.from(text, (character) =>
    /\p{Surrogate}/u.test(character) ? '%ed%a0%80' : encodeURIComponent(character),
  ).join('');
}

function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

function oddPath(path: string, pathValue: string): fc.Arbitrary<string> {
  const odd = fc.oneof(
    fc.constantFrom(
      '%00',
      '%zz',
      '%ff',
      '%2e%2e%2f',
      '%f0%9f%8f%a0',
      'a'.repeat(3_000),
      '.',
      '%20',
      '*',
      '{id}',
    ),
    oddText().map((text) => percentEncoded(text).slice(0, 6_000) || '%20'),
  );
  return mostly(fc.constant(pathValue), odd).map((value) => path.replaceAll(/\{\w+\}/g, () => value));
}

function oddQuery(
  description: ApiDescription,
  parameters: readonly DescribedParameter[],
): fc.Arbitrary<string> {
  const names = parameters.filter((parameter) => parameter.in === 'query');
  const one = (parameter: DescribedParameter) =>
    fc.oneof(
      oddValue(parameter.schema, description.schemas).map((value) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return `${parameter.name}=${percentEncoded(text).slice(0, 6_000)}`;
      }),
      fc.constantFrom(
        parameter.name,
        `${parameter.name}=1&${parameter.name}=2`,
        `${parameter.name}[]=1`,
        `${parameter.name}[a][b]=1`,
        `${parameter.name}=%zz`,
        `${parameter.name}=%00`,
        `${parameter.name.toUpperCase()}=1`,
        `&&=&${parameter.name}==`,
        '__proto__[x]=1',
      ),
    );
  if (names.length === 0) return fc.constantFrom('', '?', '?unknown=1', '?a[b][c][d][e][f][g]=1');
  return mostly(
    fc
      .subarray(names)
      .chain((chosen) =>
        fc.tuple(...chosen.map(one)).map((pairs) => (pairs.length === 0 ? '' : `?${pairs.join('&')}`)),
      ),
    fc.constantFrom('?', `?${'a=1&'.repeat(1_500)}`),
  );
}

function oddCredentials(headers: Headers): fc.Arbitrary<Headers> {
  return fc.oneof(
    fc.constantFrom<Headers>(
      [],
      [...headers, ...headers],
      headers.map(([name, value]) => [name, `${value}x`] as const),
      headers.map(([name, value]) => [name, value.toUpperCase()] as const),
      headers.map(([name]) => [name, 'a'.repeat(8_000)] as const),
    ),
    latinText().map((text) => headers.map(([name]) => [name, text] as const)),
  );
}

/** What a header can hold: no control characters, nothing outside Latin-1. */
function latinText(): fc.Arbitrary<string> {
  return fc
    .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 150 })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f)).trim());
}

function oddHeaders(): fc.Arbitrary<Headers> {
  const name = fc.constantFrom(
    'idempotency-key',
    'x-request-id',
    'x-svc-api-version',
    'if-none-match',
    'accept',
    'accept-encoding',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-http-method-override',
    'traceparent',
    'tracestate',
    'baggage',
    'origin',
    'cookie',
    'range',
    'te',
    'forwarded',
  );
  const value = fc.oneof(
    latinText(),
    fc.constantFrom(
      '',
      '*',
      '"',
      'W/"',
      '2026-08-26',
      '2020-01-01',
      'a'.repeat(128),
      'a'.repeat(129),
      'ok-1',
    ),
    fc.constant('a'.repeat(4_000)),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.nat(1_000).map((key): Headers => [['idempotency-key', `fuzz-${key}`]]) },
    {
      weight: 2,
      arbitrary: fc
        .array(fc.tuple(name, value), { maxLength: 3 })
        .chain((headers) => fc.constantFrom<Headers>(headers, [...headers, ...headers])),
    },
  );
}

interface OddBody {
  readonly headers: Headers;
  readonly bytes: Buffer | undefined;
}

const JSON_TYPE: Headers = [['content-type', 'application/json']];

function oddBodyOfNone(): fc.Arbitrary<OddBody> {
  return mostly(
    fc.constant<OddBody>({ headers: [], bytes: undefined }),
    fc.constantFrom<OddBody>(
      { headers: JSON_TYPE, bytes: Buffer.from('{}') },
      { headers: JSON_TYPE, bytes: Buffer.from('{"a":') },
      { headers: [], bytes: Buffer.alloc(LIMITS.bodyBytes + 1, 0x20) },
    ),
  );
}

function oddBody(
  description: ApiDescription,
  { body }: DescribedOperation,
  fields: Credentials['fields'],
): fc.Arbitrary<OddBody> {
  const schema = body?.schema ?? {};
  const examples = body?.examples.map(({ value }) => withReal(value, fields)) ?? [];
  const example = fc.constantFrom(...(examples.length === 0 ? [{}] : examples));
  const spoiled = fc.oneof(
    fc
      .tuple(example, oddValue(schema, description.schemas), fc.boolean())
      .map(([good, odd, whole]) => (whole ? odd : mixed(good, odd))),
    {
      weight: 3,
      arbitrary: fc.tuple(example, oddField(description, schema)).map(([good, odd]) => mixed(good, odd)),
    },
  );
  const json = fc
    .oneof({ weight: 5, arbitrary: spoiled }, { weight: 1, arbitrary: example })
    .map((value) => ({
      headers: JSON_TYPE,
      bytes: Buffer.from(JSON.stringify(value)),
    }));
  const raw = fc.oneof(
    rawText(),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );
  const wrongType = fc
    .tuple(
      example,
      fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/json; charset=utf-16',
        'application/json; charset=nonsense',
        'application/json;;;',
        'application/jsonp',
        'APPLICATION/JSON',
        '',
      ),
    )
    .map(([value, type]) => ({
      headers: type === '' ? [] : ([['content-type', type]] as const),
      bytes: Buffer.from(JSON.stringify(value)),
    }));
  return fc.oneof(
    { weight: 8, arbitrary: json },
    { weight: 2, arbitrary: raw.map((bytes) => ({ headers: JSON_TYPE, bytes })) },
    { weight: 1, arbitrary: wrongType },
    { weight: 1, arbitrary: oddEncoding(example) },
  );
}

/** One odd field of an object, so that nothing but this field can be what a request is refused for. */
function oddField(
  { schemas }: Pick<ApiDescription, 'schemas'>,
  schema: SchemaNode,
): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const { properties = {} } = schemas[componentName(schema) ?? ''] ?? schema;
  return fc
    .constantFrom(...Object.entries(properties))
    .chain(([name, member]) => oddValue(member, schemas).map((value) => ({ [name]: value })));
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

function oddEncoding(example: fc.Arbitrary<unknown>): fc.Arbitrary<OddBody> {
  return fc
    .tuple(example, fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'nonsense', 'gzip, gzip'))
    .map(([value, encoding]) => {
      const text = Buffer.from(JSON.stringify(value));
      return {
        headers: [...JSON_TYPE, ['content-encoding', encoding] as const],
        bytes: encoding.startsWith('gzip') ? gzipSync(text) : text,
      };
    });
}

function rawText(): fc.Arbitrary<Buffer> {
  const sized = (bytes: number) => Buffer.from(`{"note":"${'a'.repeat(bytes - '{"note":""}'.length)}"}`);
  return fc
    .constantFrom(
      () => Buffer.alloc(0),
      () => Buffer.from('{'),
      () => Buffer.from('{"a":1,}'),
      () => Buffer.from('{"a":1}{"a":2}'),
      () => Buffer.from('\ufeff{"a":1}'),
      () => Buffer.from('{"a":1}', 'utf16le'),
      () => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      () => Buffer.from('{"note":"\\ud800"}'),
      () => Buffer.from('{"note":"a","note":"b"}'),
      () => Buffer.from('{"__proto__":{"note":"a"},"constructor":{"prototype":{"note":"b"}}}'),
      () => Buffer.from('{"expectedVersion":1e400}'),
      () => Buffer.from(`{"expectedVersion":${'9'.repeat(5_000)}}`),
      () => Buffer.from('['.repeat(200_000)),
      () => Buffer.from('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)),
      () => Buffer.from('null'),
      () => Buffer.from('"text"'),
      () => Buffer.from('[]'),
      () => sized(LIMITS.bodyBytes),
      () => sized(LIMITS.bodyBytes + 1),
    )
    .map((make) => make());
}
