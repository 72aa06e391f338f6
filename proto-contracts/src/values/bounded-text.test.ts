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
    ['abcd', 'must be at most 3 characters'],
    ['🏠🏠🏠🏠', 'must be at most 3 characters'],
  ])('refuses %s and says what would be valid [HTTP-11]', (text, message) => {
    expect(name.safeParse(text).error?.issues).toMatchObject([{ message }]);
  });

  const blank = 'must not be white space or invisible characters alone';
  const ALONE =
    '20 9 a 85 a0 3000 feff 1680 200b 200c 200d 200e 202e 2060 2064 2066 ad 34f 61c 180b 180e 115f 1160 17b4 3164 ffa0 2800 fe0f fff9 16fe4 13441 1d159 1d173 e0020 e0100';

  test.each(ALONE.split(' '))('refuses U+%s alone, and with others that show nothing [HTTP-11]', (code) => {
    const character = String.fromCodePoint(Number.parseInt(code, 16));
    for (const text of [character.repeat(2), `${character}\u200d `]) {
      expect(name.safeParse(text).error?.issues).toMatchObject([{ message: blank }]);
    }
  });

  test.each([
    'نجم\u200cالدین',
    'क्\u200dष',
    '👨\u200d👩\u200d👧',
    '❤\ufe0f',
    '\u202bיוסף\u202c',
    'Ada\u00a0L',
    'e\u0301',
    '\u2801\u2800',
    'ㅤ김',
  ])('accepts %s, which has more than joiners [HTTP-11]', (text) => {
    expect(boundedText({ min: 1, max: 20 }).parse(text)).toBe(text);
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
