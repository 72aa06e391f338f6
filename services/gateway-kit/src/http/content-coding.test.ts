import { expect, test } from '@jest/globals';
import { chooseCoding } from './content-coding.js';

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP;q=0.8', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *;q=0.5', 'gzip'],
  ['*;q=0', undefined],
  ['br;q=nonsense', undefined],
])('accept-encoding %s chooses %s', (header, coding) => {
  expect(chooseCoding(header, ['br', 'gzip'])).toBe(coding);
});
