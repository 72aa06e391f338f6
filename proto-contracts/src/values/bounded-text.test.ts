import { describe, expect, test } from '@jest/globals';
import { boundedText } from './bounded-text.js';

describe('a bounded text', () => {
  const name = boundedText({ min: 2, max: 3 });

  test.each([['ab'], ['abc'], ['🏠🏠🏠'], ['é'.repeat(3)]])('accepts %s', (text) => {
    expect(name.parse(text)).toBe(text);
  });

  test.each([
    ['a', 'must be at least 2 characters'],
    ['🏠', 'must be at least 2 characters'],
    ['  ', 'must not be white space alone'],
    ['\t\n\u00a0', 'must not be white space alone'],
    ['abcd', 'must be at most 3 characters'],
    ['🏠🏠🏠🏠', 'must be at most 3 characters'],
  ])('refuses %s and says what would be valid [HTTP-11]', (text, message) => {
    expect(name.safeParse(text).error?.issues).toMatchObject([{ message }]);
  });

  test.each(['', ' ', '\n'])('that is optional accepts "%s" [HTTP-11]', (text) => {
    expect(boundedText({ max: 3 }).parse(text)).toBe(text);
  });

  test('that must not be empty says so', () => {
    expect(boundedText({ min: 1, max: 3 }).safeParse('').error?.issues).toMatchObject([
      { message: 'must not be empty' },
    ]);
  });
});
