import { errorBody } from '@partner/proto-contracts/api/error-body';
import type { OpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import {
  type DescribedResponse,
  type DescribedOperation,
  readApiDescription,
  type SchemaNode,
} from '@partner/proto-contracts/openapi/api-description';
import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** A response as a client receives it. */
export interface CheckedResponse {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Path of the request, with or without the query. */
  readonly path: string;
  readonly status: number;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body; empty if there is none. */
  readonly text: string;
}

/** Returns the mismatches between a response and the API description; empty if there are none. */
export type ResponseCheck = (answer: CheckedResponse) => readonly string[];

/** Returns the mismatches between a JSON value and a schema; empty if there are none. */
type SchemaCheck = (schema: SchemaNode, value: unknown) => readonly string[];

/**
 * Creates the check of responses against an API description. The path must be known and have the method, else the
 * response must be a 404 or 405 error. The operation must allow the status. Required headers must be present, and the
 * body must match the schema. An error must have a code of the operation and status.
 *
 * It is stricter than the description about undescribed fields: partners ignore them, but the service must not send
 * them.
 */
export function createResponseCheck(document: OpenApiDocument): ResponseCheck {
  const { operations } = readApiDescription(document);
  const paths = [...new Set(operations.map(({ path }) => path))].map((path) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operations: operations.filter((operation) => operation.path === path),
  }));
  const fits = createSchemaCheck(document, { 'date-time': DATE_TIME_OUT });

  return (answer) => {
    const path = answer.path.split('?', 1)[0] ?? '';
    const found = paths.find(({ pattern }) => pattern.test(path));
    const faults =
      found === undefined
        ? refusalFaults(answer, { status: 404, code: 'not_found' })
        : answerFaults(answer, found.operations, fits);
    return faults.map((fault) => `${answer.method} ${answer.path} answered ${answer.status}: ${fault}`);
  };
}

/** Date-time format of every response. */
const DATE_TIME_OUT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * Creates the check of values against the schemas of an API description. Objects must not have undescribed fields.
 * `stricterFormats` replace the default check of a format.
 */
export function createSchemaCheck(
  document: OpenApiDocument,
  stricterFormats: Readonly<Record<string, RegExp>> = {},
): SchemaCheck {
  const { components } = closed(JSON.parse(JSON.stringify(document)));
  const ajv = formats.default(new Ajv2020({ allErrors: true, strict: false }));
  for (const [name, format] of Object.entries(stricterFormats)) ajv.addFormat(name, format);
  const compiled = new Map<string, ValidateFunction>();

  return (schema, value) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...closed(JSON.parse(key)), components });
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message = 'does not fit', params }) =>
        `body${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}

/** Closes every object of a schema to undescribed fields. */
function closed(schema: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(schema)) return {};
  return Object.fromEntries([
    ...Object.entries(schema).map(
      ([name, value]) => [name, isObject(value) ? closed(value) : value] as const,
    ),
    ...(schema['type'] === 'object' && isObject(schema['properties'])
      ? [['additionalProperties', false] as const]
      : []),
  ]);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function answerFaults(
  answer: CheckedResponse,
  operations: readonly DescribedOperation[],
  fits: SchemaCheck,
): readonly string[] {
  const method = answer.method === 'HEAD' ? 'GET' : answer.method;
  const operation = operations.find((candidate) => candidate.method === method);
  if (operation === undefined) return methodFaults(answer, operations);
  const described = operation.responses.find(({ status }) => status === String(answer.status));
  if (described === undefined) return [`${operation.id} has no such status; the body is ${answer.text}`];
  return [
    ...described.headers
      .filter(({ name, required }) => required === true && answer.header(name.toLowerCase()) === undefined)
      .map(({ name }) => `the header ${name} is missing`),
    ...(answer.method === 'HEAD' ? [] : bodyFaults(answer, described, fits)),
  ];
}

function methodFaults(answer: CheckedResponse, operations: readonly DescribedOperation[]): readonly string[] {
  const described = operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allowed = answer.header('allow')?.split(', ') ?? [];
  return [
    ...refusalFaults(answer, { status: 405, code: 'method_not_allowed' }),
    ...(described.sort().join() === allowed.sort().join()
      ? []
      : [`the header allow names ${allowed.join()}, the description ${described.join()}`]),
  ];
}

function bodyFaults(
  answer: CheckedResponse,
  described: DescribedResponse,
  fits: SchemaCheck,
): readonly string[] {
  if (described.body === undefined) return answer.text === '' ? [] : ['there is a body'];
  const value = parsed(answer);
  return value === undefined
    ? ['the body is not JSON']
    : [
        ...fits(described.body.schema, value),
        ...(answer.status < 400 ? [] : errorFaults(answer, value, described.errorCodes)),
      ];
}

function refusalFaults(
  answer: CheckedResponse,
  expected: { readonly status: number; readonly code: string },
): readonly string[] {
  if (answer.status !== expected.status) return [`it is not described, and should be ${expected.status}`];
  return answer.method === 'HEAD' ? [] : errorFaults(answer, parsed(answer), [expected.code]);
}

function errorFaults(answer: CheckedResponse, value: unknown, codes: readonly string[]): readonly string[] {
  const { data: body } = errorBody.safeParse(value);
  if (body === undefined) return [`the body is not that of an error: ${answer.text}`];
  return [
    ...(codes.includes(body.code) ? [] : [`the code is ${body.code}, not one of ${codes.join()}`]),
    ...(body.requestId === answer.header('x-request-id')
      ? []
      : [`the header x-request-id is ${answer.header('x-request-id') ?? 'missing'}, not ${body.requestId}`]),
  ];
}

function parsed(answer: CheckedResponse): unknown {
  if (!/^application\/json\b/.test(answer.header('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}
