import { describe, expect, test } from '@jest/globals';
import { INSTALLER_JOB_EXAMPLE } from '@partner/proto-contracts/resources/job/job';
import { createOpenApiDocument } from '@partner/proto-contracts/openapi/openapi';
import { readApiDescription } from '@partner/proto-contracts/openapi/api-description';
import { createResponseCheck, createSchemaCheck } from './response-check.js';

const document = createOpenApiDocument({
  serverUrl: 'https://partner.example',
  sessionCookie: '__Host-svc_session',
});
const description = readApiDescription(document);

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

const job = INSTALLER_JOB_EXAMPLE;
const { readiness: _readiness, ...incomplete } = job;
const error = { error: 'it failed', code: 'not_found', requestId: 'req-1' };
const wrongMethod = { ...error, code: 'method_not_allowed' };

test.each([
  ['matches', {}, /^$/],
  ['matches for HEAD', { method: 'HEAD', text: '' }, /^$/],
  ['matches as an error', { status: 404, json: error }, /^$/],
  ['lacks a field', { resource: incomplete }, /must have required property 'readiness'/],
  ['has another field', { resource: { ...job, customer: { ...job.customer, email: 'a@b' } } }, /email/],
  ['has a wrong type', { resource: { ...job, version: '7' } }, /version must be integer/],
  ['has another time', { resource: { ...job, updatedAt: '2026-08-29T16:40:12Z' } }, /must match format/],
  ['is not JSON', { text: '<html>' }, /the body is not JSON/],
  ['lacks a header', { headers: { etag: undefined } }, /the header ETag is missing/],
  ['has an undescribed status', { status: 201 }, /getJob has no such status/],
  ['has an unexpected body', { status: 304 }, /there is a body/],
  ['has a code of another status', { status: 404, json: { ...error, code: 'stale_version' } }, /not one of/],
  ['has another request id', { status: 404, json: { ...error, requestId: 'req-2' } }, /not req-2/],
  ['is an error without a code', { status: 404, json: { error: 'it failed' } }, /not an error body/],
  ['is of an undescribed path', { path: '/partner/v1/secret' }, /expected 404/],
  ['is of an undescribed method', { method: 'DELETE' }, /expected 405/],
  [
    'allows another method',
    { method: 'PUT', status: 405, json: wrongMethod, headers: { allow: 'GET, HEAD, DELETE' } },
    /the header allow names DELETE,GET,HEAD/,
  ],
])('a response that %s', (_what, change, violation) => {
  const { headers, resource, json, ...rest } = {
    ...{ headers: {}, resource: job, json: undefined },
    ...change,
  };
  const sent: Readonly<Record<string, string | undefined>> = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': 'req-1',
    'x-svc-api-version': '2026-08-26',
    ratelimit: '"default";r=59;t=60',
    'ratelimit-policy': '"default";q=60;w=60',
    etag: '"a"',
    ...headers,
  };
  const seen = createResponseCheck(document)({
    method: 'GET',
    path: '/partner/v1/jobs/job_1',
    status: 200,
    header: (name) => sent[name],
    text: JSON.stringify(json ?? { apiVersion: '2026-08-26', resource }),
    ...rest,
  });
  expect(seen.join('\n')).toMatch(violation);
});
