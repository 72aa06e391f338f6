import { describe, expect, test } from '@jest/globals';
import { createSameOriginCheck } from './same-origin.js';

const check = createSameOriginCheck('https://partner.example/console/');

function request(method: string, headers: Readonly<Record<string, string>>) {
  return { method, header: (name: string) => headers[name] };
}

const json = { 'content-type': 'application/json' };

describe('a request that can change state', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is accepted from the own origin as JSON', (method) => {
    const headers = { ...json, origin: 'https://partner.example' };
    expect(() => check(request(method, headers))).not.toThrow();
  });

  test.each([
    ['another site', 'https://evil.example'],
    ['a sub-domain', 'https://a.partner.example'],
    ['another scheme', 'http://partner.example'],
    ['another port', 'https://partner.example:8443'],
    ['an opaque origin', 'null'],
    ['a longer name', 'https://partner.example.evil.example'],
  ])('is refused from %s [SESSION-2]', (_name, origin) => {
    expect(() => check(request('POST', { ...json, origin }))).toThrow(
      expect.objectContaining({ reason: 'permission_denied' }),
    );
  });

  test('is refused without an origin [SESSION-2]', () => {
    expect(() => check(request('DELETE', json))).toThrow(
      expect.objectContaining({ reason: 'permission_denied' }),
    );
  });

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/json-seq'])(
    'is refused with a body of content type %s [SESSION-2]',
    (contentType) => {
      for (const body of [{ 'content-length': '2' }, { 'transfer-encoding': 'chunked' }]) {
        const headers = {
          origin: 'https://partner.example',
          ...body,
          ...(contentType !== undefined && { 'content-type': contentType }),
        };
        expect(() => check(request('POST', headers))).toThrow(
          expect.objectContaining({ reason: 'invalid_argument' }),
        );
      }
    },
  );

  test.each([{}, { 'content-length': '0' }])(
    'requires no content type without a body: %j [SESSION-2]',
    (headers) => {
      const own = { ...headers, origin: 'https://partner.example' };
      expect(() => check(request('POST', own))).not.toThrow();
      expect(() => check(request('POST', { ...headers, origin: 'https://evil.example' }))).toThrow(
        expect.objectContaining({ reason: 'permission_denied' }),
      );
    },
  );

  test('may name a character set', () => {
    const headers = {
      origin: 'https://partner.example',
      'content-type': 'Application/JSON; charset=utf-8',
      'content-length': '2',
    };
    expect(() => check(request('POST', headers))).not.toThrow();
  });
});

test('a request that only reads needs neither origin nor content type', () => {
  expect(() => check(request('GET', {}))).not.toThrow();
});
