import { expect, test } from '@jest/globals';
import { createSameOriginCheck } from './same-origin.js';

const check = createSameOriginCheck('https://partner.example/console/');

function request(method: string, headers: Readonly<Record<string, string>>) {
  return { method, path: '/partner-api/session', header: (name: string) => headers[name] };
}

const json = { 'content-type': 'application/json' };

const own = 'https://partner.example';
const body = { 'content-length': '2' };
const foreign = { reason: 'permission_denied' };
const noJson = { reason: 'invalid_argument' };

test.each([
  ['GET', {}],
  ['POST', { ...json, origin: own }],
  ['DELETE', { ...json, origin: own }],
  ['POST', { origin: own }],
  ['POST', { origin: own, 'content-length': '0' }],
  ['POST', { origin: own, ...body, 'content-type': 'Application/JSON; charset=utf-8' }],
])('a %s with %j is accepted [SESSION-2]', (method, headers) => {
  expect(() => check(request(method, headers))).not.toThrow();
});

test.each([
  ['a foreign origin', { origin: 'https://evil.example' }, foreign],
  ['a sub-domain', { origin: 'https://a.partner.example' }, foreign],
  ['another scheme', { origin: 'http://partner.example' }, foreign],
  ['another port', { origin: 'https://partner.example:8443' }, foreign],
  ['an opaque origin', { origin: 'null' }, foreign],
  ['a longer name', { origin: 'https://partner.example.evil.example' }, foreign],
  ['no origin', json, foreign],
  ['a body of no type', { origin: own, ...body }, noJson],
  ['a chunked body of no type', { origin: own, 'transfer-encoding': 'chunked' }, noJson],
  ['text', { origin: own, ...body, 'content-type': 'text/plain' }, noJson],
  ['a form', { origin: own, ...body, 'content-type': 'application/x-www-form-urlencoded' }, noJson],
  ['a longer type', { origin: own, ...body, 'content-type': 'application/json-seq' }, noJson],
])('a change with %s is refused [SESSION-2]', (_name, headers, refusal) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect(() => check(request(method, headers))).toThrow(expect.objectContaining(refusal));
});

test("a form of the console's own pages is accepted, and one of another site is refused [SESSION-2]", () => {
  const form = { ...body, 'content-type': 'application/x-www-form-urlencoded' };
  const sent = (origin: string) => ({ ...request('POST', { ...form, origin }), path: '/console/sign-in' });
  expect(() => check(sent(own))).not.toThrow();
  expect(() => check(sent('null'))).toThrow(expect.objectContaining(foreign));
});
