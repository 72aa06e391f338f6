import { describe, expect, test } from '@jest/globals';
import { fc } from '@partner/test-kit/fast-check';
import { getExampleNumber, isSupportedCountry } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { digitsInAnyNotation, isNotationOf, readPhoneNumber } from './phone-number.js';

const lines = (text: string) => text.split('|');

const BEFORE = lines(
  '|1|1 |+1|+1 |001 |011 1 |tel:+1-|Tel.: |call |h |Phone 2: |after 5 pm |(24h) +1 |6-|24/7 |2nd line ',
);
/** `a`, `b` and `c` stand for the three parts of a number of North America. */
const SHAPES = lines(
  'abc|a-b-c|(a) b-c|a.b.c|a b c|a / b c|a–b−c|a\u00a0b\u2009c|a\u200bb\u200dc|a\u00adb\u00adc|\u202aa b c\u202c',
);
const EXTENSION_23 = lines(
  ' x23|x23| X 23| ext. 23| Ext:23| extension 23|;ext=23| #23|,23|;23#| ~23| доб. 23| 23|-23|/23|ｘ２３',
);
const AFTER = ['', ' (mobile)', ' or 7375550177', ...EXTENSION_23];

/** The zeros of scripts: ASCII, full-width, Arabic, Persian, Devanagari, Thai and mathematical bold. */
const ZEROS = Array.from('0０٠۰०๐𝟎');

/** A number of North America, with a text in which someone may write it. */
const written = fc
  .tuple(
    fc.tuple(...[/^[2-9][02-9]\d$/, /^[2-9][02-9]\d$/, /^\d{4}$/].map((part) => fc.stringMatching(part))),
    fc.constantFrom(...BEFORE),
    fc.constantFrom(...SHAPES),
    fc.constantFrom(...AFTER),
    fc.constantFrom(...ZEROS),
  )
  .filter(([, , shape, after]) => !(shape === 'a / b c' && after === AFTER[2]))
  .map(([parts, before, shape, after, zero]) => ({
    shape,
    number: parts.join(''),
    withExtension: EXTENSION_23.includes(after) ? `${parts.join('-')} x23` : parts.join('-'),
    text: (before + shape.replace(/[abc]/g, (part) => parts['abc'.indexOf(part)] ?? '') + after).replaceAll(
      /\d/g,
      (digit) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)),
    ),
  }));

/** Notations that no rule makes: keycaps, letters in place of digits, words, and numbers without an area. */
const SAME = [
  lines('5125550142|5️⃣1️⃣2️⃣5️⃣5️⃣5️⃣0️⃣1️⃣4️⃣2️⃣|512-555-O142|5l2-555-o1 42|(5I2) 555 OI42 x23'),
  lines('1-800-FLOWERS|18003569377|800 356 9377|+1 (800) FLOWERS|1-800-flowers ext 23|1 800 Flowers'),
  lines(
    '+44 20 7946 0123|+44 (0)20 7946 0123|(+44) 20 7946 0123|0044 20 7946 0123|44 20 7946 0123|020 7946 0123',
  ),
  lines('+7 495 123-45-67|8 (495) 123-45-67|74951234567|0074951234567'),
  lines('+1 555 0142|555 0142|5550142|15550142'),
];

function expectSame(one: string, other: string): void {
  expect([one, other, isNotationOf(readPhoneNumber(one), other)]).toEqual([one, other, true]);
  expect([other, one, isNotationOf(readPhoneNumber(other), one)]).toEqual([other, one, true]);
  // A search in the database finds the other by these digits, if it has no other characters.
  const digits = other.replaceAll(/[+()./ -]/g, '');
  if (/^\d+$/.test(digits))
    expect(digitsInAnyNotation(readPhoneNumber(one)).some((tail) => digits.includes(tail))).toBe(true);
}

describe('a phone number', () => {
  test('is the same in any notation, with the same extension or without one [PERSON-2]', () => {
    fc.assert(
      fc.property(written, ({ number, withExtension, text }) => {
        expectSame(number, text);
        expectSame(withExtension, text);
      }),
    );
  });

  test.each(SAME)('is the same in each notation: %s [PERSON-2]', (...row) => {
    for (const one of row) for (const other of row) expectSame(one, other);
  });

  test('is found beside another one [PERSON-2]', () => {
    for (const text of lines('512-555-0177 512-555-0142|5125550142 5125550177|h 512-555-0142 w 512-555-0177'))
      expectSame('5125550142', text);
  });

  test('is the same as the library writes it, for each country [PERSON-2]', () => {
    for (const country of Object.keys(examples).filter((each) => isSupportedCountry(each))) {
      const example = getExampleNumber(country, examples);
      if (example === undefined || example.nationalNumber.length < 7) continue;
      expectSame(example.number, example.formatInternational());
      expectSame(example.number, example.format('IDD', { fromCountry: 'US' }));
      // In Argentina a number can begin with 011, with which calls abroad begin here.
      if (country !== 'AR') expectSame(example.number, example.formatNational());
    }
  });

  test('is not another one that differs in a digit [PERSON-2]', () => {
    const digit = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(written, digit, digit, ({ shape, number, text }, at, step) => {
        // What a slash separates can be two numbers, and the digits before the second one are a calling code to some readings.
        fc.pre(shape !== 'a / b c' || at > 2);
        const changed = number.slice(0, at) + String((Number(number[at]) + step) % 10) + number.slice(at + 1);
        expect([changed, isNotationOf(readPhoneNumber(changed), text)]).toEqual([changed, false]);
      }),
    );
  });

  test.each([
    ['5125550142', '555-0142'],
    ['5125550142 x23', '5125550142 x24'],
    ['+1-512-555-0142-23', '512-555-0142 x24'],
    ['5125550142', '[erased]'],
    ['+1 207 946 0123', '+44 207 946 0123'],
    ['+44 20 7946 0123', '+49 20 7946 0123'],
    ['1-800-FLOWERS', '1-800-FLOWERT'],
    ['5125550142', ''],
  ])('is not another one: %s and %s [PERSON-2]', (one, other) => {
    expect(isNotationOf(readPhoneNumber(one), other)).toBe(false);
    expect(isNotationOf(readPhoneNumber(other), one)).toBe(false);
  });

  test.each(['', '12-34', 'x23', 'none', '[erased]', '+', '()'])('is not %j', (text) => {
    expect(readPhoneNumber(text).readings).toEqual([]);
  });

  test('may be any text', () => {
    for (const text of ['x'.repeat(500), '1'.repeat(500), '+'.repeat(500), '٠'.repeat(500), '\ud800']) {
      expect(isNotationOf(readPhoneNumber('5125550142'), text)).toBe(false);
    }
  });
});
