import { describe, expect, test } from '@jest/globals';
import { digitsInAnyNotation, isNotationOf, readPhoneNumber } from './phone-number.js';

/** Notations of one number in each row. */
const SAME = [
  [
    '5125550142',
    '512-555-0142',
    '(512) 555-0142',
    '512.555.0142',
    '512 / 555 0142',
    '512–555−0142',
    '512\u00a0555\u20090142',
    '15125550142',
    '1 (512) 555-0142',
    '+1 512 555 0142',
    '+15125550142',
    '001 512 555 0142',
    '011 1 512 555 0142',
    'tel:+1-512-555-0142',
    'Tel.: 512 555 0142',
    'call 5125550142',
    '5125550142 (mobile)',
    '５１２－５５５－０１４２',
    '＋１ ５１２ ５５５ ０１４２',
    '٥١٢٥٥٥٠١٤٢',
    '۵۱۲۵۵۵۰۱۴۲',
    '५१२ ५५५ ०१४२',
    '๕๑๒๕๕๕๐๑๔๒',
    '𝟓𝟏𝟐𝟓𝟓𝟓𝟎𝟏𝟒𝟐',
    '5️⃣1️⃣2️⃣5️⃣5️⃣5️⃣0️⃣1️⃣4️⃣2️⃣',
    '512\u200b555\u200d0142',
    '\u202a+1 512 555 0142\u202c',
    '512\u00ad555\u00ad0142',
    '5125550142 or 5125550177',
    '512-555-0177 / 512-555-0142',
    '512-555-0177 512-555-0142',
    '5125550142 5125550177',
    'h 512-555-0142 w 512-555-0177',
    'Phone 2: 512-555-0142',
    'after 5 pm 512-555-0142',
    '(24h) +1 512 555 0142',
    '5125550142 x23',
    '5125550142x23',
    '5125550142 X 23',
    '(512) 555-0142 ext. 23',
    '512-555-0142 Ext:23',
    '512.555.0142 extension 23',
    '512.555.0142;ext=23',
    '512-555-0142 #23',
    '+1 512 555 0142,23',
    '+15125550142;23#',
    '512-555-0142 ~23',
    '5125550142 доб. 23',
    '512 555 0142 23',
    '15125550142 23',
    '５１２５５５０１４２ｘ２３',
    '+1-512-555-0142-23',
    '+1 512 555 0142 23',
    '+1.512.555.0142/23',
    '6-512-555-0142',
    '24/7 512 555 0142',
    '2nd line 512 555 0142',
    '512-555-O142',
    '5l2-555-o1 42',
    '(5I2) 555 OI42 x23',
  ],
  [
    '1-800-FLOWERS',
    '18003569377',
    '800 356 9377',
    '+1 (800) FLOWERS',
    '1-800-flowers ext 23',
    '1 800 Flowers',
  ],
  [
    '+44 20 7946 0123',
    '+44 (0)20 7946 0123',
    '(+44) 20 7946 0123',
    '0044 20 7946 0123',
    '011 44 20 7946 0123',
    '44 20 7946 0123',
    '020 7946 0123',
    '(020) 7946-0123',
    '+44 20 7946 0123 ext 23',
    '+44 20 7946 0123-23',
  ],
  ['+7 495 123-45-67', '8 (495) 123-45-67', '74951234567', '0074951234567'],
  ['+1 555 0142', '555 0142', '5550142', '15550142'],
] as const;

const PAIRS = SAME.flatMap((row) => row.flatMap((one) => row.map((other) => [one, other] as const)));

describe('a phone number', () => {
  test.each(SAME)('is the same in each notation: %s [PERSON-2]', (...row) => {
    const missed = row.flatMap((one) =>
      row.filter((other) => !isNotationOf(readPhoneNumber(one), other)).map((other) => [one, other]),
    );
    const isBoth = (text: string) => /0177/.test(text);
    expect(missed.filter(([one, other]) => !isBoth(one ?? '') && !isBoth(other ?? ''))).toEqual([]);
    for (const other of row.filter(isBoth)) {
      expect(isNotationOf(readPhoneNumber(row[0]), other)).toBe(true);
    }
  });

  test.each([
    ['5125550142', '5125550143'],
    ['5125550142', '7375550142'],
    ['5125550142', '555-0142'],
    ['5125550142 x23', '5125550142 x24'],
    ['5125550142 x23', '5125550143 x23'],
    ['+1-512-555-0142-23', '512-555-0142 x24'],
    ['+1-512-555-0142-23', '6-512-555-0143'],
    ['24/7 512 555 0142', '24/7 737 555 0142'],
    ['+1 207 946 0123', '+44 207 946 0123'],
    ['+44 20 7946 0123', '+49 20 7946 0123'],
    ['1-800-FLOWERS', '1-800-FLOWERT'],
    ['5125550142', '[erased]'],
    ['5125550142', 'none'],
    ['5125550142', ''],
  ])('is not another one: %s and %s', (one, other) => {
    expect(isNotationOf(readPhoneNumber(one), other)).toBe(false);
    expect(isNotationOf(readPhoneNumber(other), one)).toBe(false);
  });

  test('has digits that each notation holds in a row, or a character beside digits and punctuation', () => {
    const missed = PAIRS.filter(([one, other]) => {
      const digits = other.replaceAll(/[^0-9]/g, '');
      const tails = digitsInAnyNotation(readPhoneNumber(one));
      return isNotationOf(readPhoneNumber(one), other) && !tails.some((tail) => digits.includes(tail));
    });
    expect(missed.filter(([, other]) => !/[^0-9+()./ -]/.test(other))).toEqual([]);
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
