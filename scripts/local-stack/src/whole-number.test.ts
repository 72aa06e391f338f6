import { expect, test } from '@jest/globals';
import { wholeNumber } from './whole-number.js';

test('whole numbers are in their range', () => {
  expect(wholeNumber(1, 10)('7')).toBe(7);
  for (const text of ['0', '11', '1.5', '-1', '', 'x', '1e1'])
    expect(() => wholeNumber(1, 10)(text)).toThrow('whole number from 1 to 10.');
  expect(() => wholeNumber(5)('4')).toThrow('whole number from 5 on.');
});
