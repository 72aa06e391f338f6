import { expect, test } from '@jest/globals';
import { RESPONSE_HEADER_LIMITS } from '@partner/proto-contracts/resources/attempt/attempt';
import { recordedHeaders } from './recorded-headers.js';

test('headers keep their order, repeats and values, with names in lower case [DELIVERY-22]', () => {
  expect(recordedHeaders(['X-Trace', 'a', 'Via', '1.1 p', 'x-trace', 'ü'])).toEqual([
    { name: 'x-trace', value: 'a' },
    { name: 'via', value: '1.1 p' },
    { name: 'x-trace', value: 'ü' },
  ]);
});

test('cookies and credentials are removed, in any case [DELIVERY-22]', () => {
  const raw = 'Set-Cookie s=1 SET-COOKIE2 s Authorization x X-CSRF-Token x Server n';
  expect(recordedHeaders(raw.split(' '))).toEqual([{ name: 'server', value: 'n' }]);
});

test('a header that no longer fits is omitted, later ones that fit are kept [DELIVERY-22]', () => {
  const { bytes, headers } = RESPONSE_HEADER_LIMITS;
  const fits = 'v'.repeat(bytes - 2);
  expect(
    recordedHeaders(['a', 'ü'.repeat(bytes / 2), 'b', fits, 'c', '1', 'd', '']).map(({ name }) => name),
  ).toEqual(['b', 'd']);
  const many = Array.from({ length: headers + 1 }, () => ['h', '']).flat();
  expect(recordedHeaders(many)).toHaveLength(headers);
});
