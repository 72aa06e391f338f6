import { describe, expect, test } from '@jest/globals';
import { changeHeaders, CUSTOM_HEADER_LIMITS, headerChanges } from './custom-headers.js';

const accepts = (name: string, value: string | null = 'x') =>
  headerChanges.safeParse([{ name, value }]).success;

describe('a custom header [WEBHOOK-13]', () => {
  test.each(['Authorization', 'x-tenant', "x!#$%&'*+.^_`|~9", 'a'.repeat(64)])('can be named %s', (name) => {
    expect(headerChanges.parse([{ name, value: 'x' }])[0]?.name).toBe(name.toLowerCase());
  });

  test.each([
    'Host',
    'Content-Type',
    'connection',
    'Transfer-Encoding',
    'User-Agent',
    'webhook-id',
    'Traceparent',
  ])('cannot be named %s, which the service or the connection sets', (name) =>
    expect(accepts(name)).toBe(false),
  );

  test.each([
    'X-Svc-Signature',
    'proxy-authorization',
    'upgrade',
    '',
    'a b',
    'a:',
    'ä',
    'a\n',
    'a'.repeat(65),
  ])('cannot be named %j', (name) => expect(accepts(name)).toBe(false));

  test('has a bounded value without control characters', () => {
    expect(accepts('a', 'Bearer a b')).toBe(true);
    expect(accepts('a', null)).toBe(true);
    for (const value of ['', ' a', 'a ', 'a\r\nb: c', 'a\tb', 'a\0', 'ä', 'v'.repeat(2_049)]) {
      expect(accepts('a', value)).toBe(false);
    }
  });

  test('is named once, in any case', () => {
    const twice = [
      { name: 'a', value: '1' },
      { name: 'A', value: '2' },
    ];
    expect(headerChanges.safeParse(twice).success).toBe(false);
  });
});

test('changes set and remove headers by name, and leave the others [WEBHOOK-13]', () => {
  const changes = [
    { name: 'b', value: null },
    { name: 'a', value: '3' },
    { name: 'd', value: '4' },
  ];
  expect(changeHeaders({ a: '1', b: '2', c: '2' }, changes)).toEqual({ headers: { a: '3', c: '2', d: '4' } });
});

test('changes cannot leave too many headers or characters [WEBHOOK-13]', () => {
  const { headers, bytes } = CUSTOM_HEADER_LIMITS;
  const full = Object.fromEntries(Array.from({ length: headers }, (_, at) => [`h${at}`, 'x']));
  expect(changeHeaders(full, [{ name: 'one-more', value: 'x' }])).toHaveProperty('violation');
  expect(changeHeaders(full, [{ name: 'h0', value: 'y' }])).toHaveProperty('headers');
  const long = { a: 'x'.repeat(bytes / 2 - 1) };
  expect(changeHeaders(long, [{ name: 'b', value: 'x'.repeat(bytes / 2 - 1) }])).toHaveProperty('headers');
  expect(changeHeaders(long, [{ name: 'b', value: 'x'.repeat(bytes / 2) }])).toHaveProperty('violation');
});
