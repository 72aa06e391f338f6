import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { isDevelopmentKey, keyBytes } from './key-bytes.js';

const base64 = (bytes: readonly number[] | Uint8Array | string) => Buffer.from(bytes).toString('base64');
const of = (byteAt: (index: number) => number) =>
  base64(Array.from({ length: 32 }, (_, index) => byteAt(index) & 0xff));

describe('a key of 32 bytes', () => {
  test.each(Array.from({ length: 20 }, () => randomBytes(32).toString('base64')))('may be %s', (text) => {
    expect(keyBytes(text)?.toString('base64')).toBe(text);
  });

  test('may be 32 random hexadecimal digits', () => {
    expect(keyBytes(base64('9f86d081884c7d659a2feaa0c55ad015'))).toHaveLength(32);
  });

  test.each([
    ['zeros', of(() => 0)],
    ['one byte', of(() => 0xa5)],
    ['a run', of((index) => index + 1)],
    ['a run downwards', of((index) => 255 - index)],
    ['a run of steps of 7', of((index) => 3 + 7 * index)],
    ['squares', of((index) => index * index)],
    ['letters of the alphabet and digits', base64('abcdefghijklmnopqrstuvwxyz012345')],
    ['two bytes by turns', of((index) => (index % 2 === 0 ? 0 : 0xff))],
    ['a repeated word', base64('passwordpasswordpasswordpassword')],
    ['16 random bytes twice', base64(Buffer.concat(Array(2).fill(randomBytes(16))))],
    ['12 random bytes, repeated', base64(Buffer.concat(Array(3).fill(randomBytes(12))).subarray(0, 32))],
    ['one bit', of((index) => (index === 31 ? 1 : 0))],
    ['text with a run of spaces', base64('key'.padEnd(32))],
  ])('must not be %s', (_what, text) => {
    expect(keyBytes(text)).toBeUndefined();
  });

  test.each(['', 'short', base64(randomBytes(31)), base64(randomBytes(33)), `${base64(randomBytes(32))}!`])(
    'must not be of another form: %j',
    (text) => {
      expect(keyBytes(text)).toBeUndefined();
    },
  );

  test('is known to everyone if it is one of this repository', () => {
    expect(isDevelopmentKey(Buffer.from('partner-development-cursor-key!!'))).toBe(true);
    expect(isDevelopmentKey(randomBytes(32))).toBe(false);
  });
});
