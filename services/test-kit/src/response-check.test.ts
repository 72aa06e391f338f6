import { describe, expect, test } from '@jest/globals';
import { INSTALLER_JOB_EXAMPLE } from '@partner/proto-contracts/resources/job/job';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { createResponseCheck, createSchemaCheck, type CheckedResponse } from './response-check.js';

const document = createOpenApiDocument({
  serverUrl: 'https://partner.example',
  sessionCookie: '__Host-svc_session',
});
const description = readApiDescription(document);
const check = createResponseCheck(document);

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'req-1',
  'x-svc-api-version': '2026-08-26',
  ratelimit: '"default";r=59;t=60',
  'ratelimit-policy': '"default";q=60;w=60',
  etag: '"a"',
};

function response(
  change: Partial<Omit<CheckedResponse, 'header'>> & {
    headers?: Record<string, string | undefined>;
    json?: unknown;
  },
): CheckedResponse {
  const { headers, json = { apiVersion: '2026-08-26', resource: INSTALLER_JOB_EXAMPLE }, ...rest } = change;
  const all: Record<string, string | undefined> = { ...HEADERS, ...headers };
  return {
    method: 'GET',
    path: '/partner/v1/jobs/job_1',
    status: 200,
    header: (name) => all[name],
    text: JSON.stringify(json),
    ...rest,
  };
}

const error = (code: string) => ({ error: 'it failed', code, requestId: 'req-1' });

const BODIES = [...description.operations, ...description.webhooks].flatMap((operation) => [
  ...(operation.body === undefined ? [] : [{ what: `${operation.id}: request`, body: operation.body }]),
  ...operation.responses.flatMap(({ status, body }) =>
    body === undefined ? [] : [{ what: `${operation.id}: ${status}`, body }],
  ),
]);

describe('the API description', () => {
  const fits = createSchemaCheck(document);

  test.each(BODIES)('has examples that fit their schema for $what', ({ body }) => {
    expect(body.examples.length).toBeGreaterThan(0);
    expect(body.examples.flatMap(({ value }) => fits(body.schema, value))).toEqual([]);
  });
});

describe('a response', () => {
  test.each([
    ['of success', response({})],
    ['to HEAD', response({ method: 'HEAD', text: '' })],
    ['of 304', response({ status: 304, text: '' })],
    ['with a query', response({ path: '/partner/v1/jobs/job_1?x=1' })],
    ['of a described error', response({ status: 404, json: error('not_found') })],
    ['of an unknown path', response({ path: '/partner/v1/nothing', status: 404, json: error('not_found') })],
    [
      'of another method',
      response({
        method: 'PUT',
        status: 405,
        json: error('method_not_allowed'),
        headers: { allow: 'GET, HEAD' },
      }),
    ],
  ])('%s matches', (_what, seen) => {
    expect(check(seen)).toEqual([]);
  });

  const { readiness: _readiness, ...incomplete } = INSTALLER_JOB_EXAMPLE;
  const withResource = (resource: object) => response({ json: { apiVersion: '2026-08-26', resource } });

  test.each([
    ['lacks a field', withResource(incomplete), /resource must have required property 'readiness'/],
    [
      'has an additional field at any depth',
      withResource({
        ...INSTALLER_JOB_EXAMPLE,
        customer: { ...INSTALLER_JOB_EXAMPLE.customer, email: 'a@b' },
      }),
      /resource\/customer must NOT have additional properties.*email/,
    ],
    [
      'has a wrong type',
      withResource({ ...INSTALLER_JOB_EXAMPLE, version: '7' }),
      /resource\/version must be integer/,
    ],
    [
      'has a date-time without milliseconds',
      withResource({ ...INSTALLER_JOB_EXAMPLE, updatedAt: '2026-08-29T16:40:12Z' }),
      /resource\/updatedAt must match format/,
    ],
    ['is not JSON', response({ text: '<html>' }), /the body is not JSON/],
    ['is of another type', response({ headers: { 'content-type': 'text/html' } }), /the body is not JSON/],
    ['lacks a header', response({ headers: { etag: undefined } }), /the header ETag is missing/],
    ['has a status that is not described', response({ status: 201 }), /getJob has no such status/],
    ['has an unexpected body', response({ status: 304 }), /there is a body/],
    [
      'has a code of another operation or status',
      response({ status: 404, json: error('stale_version') }),
      /the code is stale_version, not one of not_found/,
    ],
    [
      'has another request id in its body',
      response({ status: 404, json: { ...error('not_found'), requestId: 'req-2' } }),
      /the header x-request-id is req-1, not req-2/,
    ],
    [
      'is an error without a code',
      response({ status: 404, json: { error: 'it failed' } }),
      /the body is not an error body/,
    ],
    ['comes from an undescribed path', response({ path: '/partner/v1/secret' }), /expected 404/],
    ['comes from an undescribed method', response({ method: 'DELETE' }), /expected 405/],
    [
      'allows a method that is not described',
      response({
        method: 'PUT',
        status: 405,
        json: error('method_not_allowed'),
        headers: { allow: 'GET, HEAD, DELETE' },
      }),
      /the header allow names DELETE,GET,HEAD, the description GET,HEAD/,
    ],
  ])('that %s differs', (_what, seen, violation) => {
    expect(check(seen).join('\n')).toMatch(violation);
  });
});
