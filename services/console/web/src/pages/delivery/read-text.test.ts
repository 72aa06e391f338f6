import { expect, test } from '@jest/globals';
import { readText } from './read-text.js';

test('a body is empty, text, JSON or binary', () => {
  expect(readText('')).toEqual({ kind: 'empty' });
  expect(readText('Out of order\r\n')).toEqual({ kind: 'text', text: 'Out of order\r\n' });
  expect(readText('{"a":1}')).toEqual({ kind: 'json', text: '{"a":1}', pretty: '{\n  "a": 1\n}' });
  expect(readText('12')).toEqual({ kind: 'text', text: '12' });
  expect(readText('\u0089PNG\u0000\uFFFD\n.')).toEqual({ kind: 'binary', text: '·PNG··\n.' });
});

test('a response that was cut within a character is still text', () => {
  expect(readText('Grüße \uFFFD').kind).toBe('text');
  expect(readText('\uFFFDGrüße').kind).toBe('binary');
});
