import { MCP_PATHS } from '@partner/proto-contracts/api/mcp';
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

interface CheckedResponse {
  /** Method of the request, in upper case. */
  readonly method: string;
  /** Path of the request, with or without the query. */
  readonly path: string;
  readonly status: number;
  header(name: string): string | undefined;
  /** The body; empty if there is none. */
  readonly text: string;
}

/** Returns the mismatches between a response and the API description; empty if there are none. */
export type ResponseCheck = (response: CheckedResponse) => readonly string[];

/** Returns the mismatches between a JSON value and a schema; empty if there are none. */
type SchemaCheck = (schema: SchemaNode, value: unknown) => readonly string[];

/**
 * Creates the check of responses against an API description. The path must be known and have the method, else the
 * response must be a 404 or 405 error. The operation must allow the status. Required headers must be present, and the
 * body must match the schema. An error must have a code of the operation and status.
 *
 * It is stricter than the description about undescribed fields: partners ignore them, but the service must not send
 * them. Fields must be in the order of the description, so that a response keeps its bytes.
 */
export function createResponseCheck(document: OpenApiDocument): ResponseCheck {
  const { operations } = readApiDescription(document);
  const paths = [...new Set(operations.map(({ path }) => path))].map((path) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    operations: operations.filter((operation) => operation.path === path),
  }));
  const fits = createSchemaCheck(document, { 'date-time': DATE_TIME_OUT });

  return (response) => {
    const path = response.path.split('?', 1)[0] ?? '';
    // They speak another protocol, which the description leaves out.
    if (Object.values(MCP_PATHS).includes(path)) return [];
    const found = paths.find(({ pattern }) => pattern.test(path));
    const violations =
      found === undefined
        ? refusalViolations(response, { status: 404, code: 'not_found' })
        : responseViolations(response, found.operations, fits);
    return violations.map(
      (violation) => `${response.method} ${response.path} responded with ${response.status}: ${violation}`,
    );
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
  ajv.addKeyword({ keyword: 'order', type: 'object', validate: isInOrder });
  for (const [name, format] of Object.entries(stricterFormats)) ajv.addFormat(name, format);
  const compiled = new Map<string, ValidateFunction>();

  return (schema, value) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile({ ...closed(JSON.parse(key)), components });
    compiled.set(key, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ keyword, instancePath, message = 'does not match', params }) =>
        `body${instancePath} ${keyword === 'order' ? 'has its fields in another order' : message} ${JSON.stringify(params)}`,
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
      ? [['additionalProperties', false] as const, ['order', Object.keys(schema['properties'])] as const]
      : []),
  ]);
}

function isInOrder(order: readonly string[], value: object): boolean {
  const places = Object.keys(value).map((name) => order.indexOf(name));
  return places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function responseViolations(
  response: CheckedResponse,
  operations: readonly DescribedOperation[],
  fits: SchemaCheck,
): readonly string[] {
  const method = response.method === 'HEAD' ? 'GET' : response.method;
  const operation = operations.find((candidate) => candidate.method === method);
  if (operation === undefined) return methodViolations(response, operations);
  const described = operation.responses.find(({ status }) => status === String(response.status));
  if (described === undefined) return [`${operation.id} has no such status; the body is ${response.text}`];
  return [
    ...described.headers
      .filter(({ name, required }) => required === true && response.header(name.toLowerCase()) === undefined)
      .map(({ name }) => `the header ${name} is missing`),
    ...(response.method === 'HEAD' ? [] : bodyViolations(response, described, fits)),
  ];
}

function methodViolations(
  response: CheckedResponse,
  operations: readonly DescribedOperation[],
): readonly string[] {
  const described = operations.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const allowed = response.header('allow')?.split(', ') ?? [];
  return [
    ...refusalViolations(response, { status: 405, code: 'method_not_allowed' }),
    ...(described.sort().join() === allowed.sort().join()
      ? []
      : [`the header allow names ${allowed.join()}, the description ${described.join()}`]),
  ];
}

function bodyViolations(
  response: CheckedResponse,
  described: DescribedResponse,
  fits: SchemaCheck,
): readonly string[] {
  if (described.body === undefined) return response.text === '' ? [] : ['there is a body'];
  const value = parsed(response);
  return value === undefined
    ? ['the body is not JSON']
    : [
        ...fits(described.body.schema, value),
        ...(response.status < 400 ? [] : errorViolations(response, value, described.errorCodes)),
      ];
}

function refusalViolations(
  response: CheckedResponse,
  expected: { readonly status: number; readonly code: string },
): readonly string[] {
  if (response.status !== expected.status) return [`it is not described; expected ${expected.status}`];
  return response.method === 'HEAD' ? [] : errorViolations(response, parsed(response), [expected.code]);
}

function errorViolations(
  response: CheckedResponse,
  value: unknown,
  codes: readonly string[],
): readonly string[] {
  const { data: body } = errorBody.safeParse(value);
  if (body === undefined) return [`the body is not an error body: ${response.text}`];
  return [
    ...(codes.includes(body.code) ? [] : [`the code is ${body.code}, not one of ${codes.join()}`]),
    ...(body.requestId === response.header('x-request-id')
      ? []
      : [
          `the header x-request-id is ${response.header('x-request-id') ?? 'missing'}, not ${body.requestId}`,
        ]),
  ];
}

function parsed(response: CheckedResponse): unknown {
  if (!/^application\/json\b/.test(response.header('content-type') ?? '')) return undefined;
  try {
    return JSON.parse(response.text);
  } catch {
    return undefined;
  }
}
