import { describe, expect, test } from '@jest/globals';
import { matchersOf, withMatcher } from './label-matchers.js';

describe('a matcher more', () => {
  test.each([
    ['x', 'x{n="1"}'],
    ['absent(x{})', 'absent(x{n="1"})'],
    ['sum by (a) (rate(x_total{a="}",b=~"c"}[5m]))', 'sum by (a) (rate(x_total{n="1",a="}",b=~"c"}[5m]))'],
    ['(x / on (a) y{a="1"}) > 1\nor vector(0)', '(x{n="1"} / on (a) y{n="1",a="1"}) > 1\nor vector(0)'],
    ['time() - max(x offset 5m)', 'time() - max(x{n="1"} offset 5m)'],
  ])('is added to each selector of %s', (expression, expected) => {
    expect(withMatcher(expression, 'n="1"')).toBe(expected);
  });

  test('is refused if the expression is not PromQL', () => {
    expect(() => withMatcher('sum(x', 'n="1"')).toThrow('not PromQL: sum(x');
  });
});

test('returns the matchers of each selector of an expression', () => {
  expect(matchersOf('x{a="1",b!~"2"} / y > z{}')).toEqual([['a="1"', 'b!~"2"'], [], []]);
});
